import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { Empty } from '../../ui/empty.tsx'
import { Status } from '../../ui/status.tsx'
import { Ago, formatDuration, formatInstant } from '../../ui/time.tsx'
import { Actions } from './actions.tsx'
import { ChainLink } from './chain-link.tsx'
import { BodySection, HeaderSection, QuerySection, type Remark, RemarkList } from './message.tsx'
import { targetOf } from './replay.ts'
import { Marks } from './request-row.tsx'
import { SwitchScenario } from './switch-scenario.tsx'
import { Why } from './why.tsx'

/** One request with its answer, beside the list. */
export function RequestDetail({ id }: { readonly id: string }) {
  const { value: exchange, problem } = useAnswer('/requests/{id}', { path: { id }, isImmutable: true })
  return (
    <section class="split-side request-detail" aria-label={`Request ${id}`} tabIndex={-1} data-open>
      {exchange && <Detail exchange={exchange} />}
      {!exchange && problem && (
        <Empty title="This request cannot be shown">
          {problem.sentence} <a href={hrefOf({ id: undefined })}>Close</a>
        </Empty>
      )}
    </section>
  )
}

function Detail({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { request, answer } = exchange
  const remarks = useMemo(() => listRemarks(exchange), [exchange])
  const remarksOf = (...parts: Remark['in'][]) => remarks.filter((remark) => parts.includes(remark.in))
  return (
    <>
      <header>
        <h2 class="cut-off" title={targetOf(exchange)}>
          <span class="method">{request.method}</span> <span class="path">{targetOf(exchange)}</span>
        </h2>
        <a class="close" href={hrefOf({ id: undefined })} aria-label="Close the request" title="Close (Esc)">
          ✕
        </a>
      </header>
      <Facts exchange={exchange} />
      <Actions exchange={exchange} />
      <Why exchange={exchange} />
      <RemarkList remarks={remarksOf('path', 'header')} />
      <QuerySection query={request.query} remarks={remarksOf('query')} />
      <BodySection title="Request body" body={request.body} remarks={remarksOf('body')} />
      <HeaderSection title="Request headers" headers={request.headers} />
      <BodySection title="Answer body" body={answer.body} remarks={remarksOf('response')} />
      <HeaderSection title="Answer headers" headers={answer.headers} />
      <SwitchScenario exchange={exchange} />
    </>
  )
}

function listRemarks({ violations, answerViolations, advice }: Schema<'Exchange'>): Remark[] {
  return [
    ...violations.map((one) => ({ ...one, kind: 'violation' as const })),
    ...answerViolations.map((one) => ({ ...one, kind: 'damage' as const })),
    ...advice.map((one) => ({ ...one, kind: 'advice' as const })),
  ]
}

function Facts({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { answer, operation, now, at, tookMs, delayMs, scenarios, sandbox, expectation, replayOf } = exchange
  return (
    <p class="facts">
      <Status code={answer.status} /> <Marks exchange={exchange} />
      <span>{operation ?? 'no operation'}</span>
      <span>
        caused by the {answer.origin}
        {scenarios.length > 0 && `${answer.origin === 'scenario' ? '' : ', under'} ${scenarios.join(', ')}`}
      </span>
      {expectation && <span>a negative test of a {expectation}</span>}
      {replayOf !== undefined && (
        <span>
          sent from the console, as <a href={hrefOf({ id: replayOf })}>{replayOf}</a> was; no report counts it
        </span>
      )}
      <span>sandbox {sandbox}</span>
      <span>
        {formatDuration(tookMs)}
        {delayMs > 0 && `, of which ${formatDuration(delayMs)} of delay`}
      </span>
      <span>
        {formatInstant(now)} UTC, <Ago instant={at} clock="machine" />
      </span>
      <ChainLink exchange={exchange} />
    </p>
  )
}
