import { useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { Empty } from '../../ui/empty.tsx'
import { Ago, formatDuration, formatInstant } from '../../ui/time.tsx'
import { Actions } from './actions.tsx'
import type { ClientManners } from './manners.ts'
import { BodySection, HeaderSection, QuerySection, type Remark, RemarkList } from './message.tsx'
import { targetOf } from './replay.ts'
import { Marks, Outcome } from './request-row.tsx'
import { describeSubject, shortenIds } from './subject.ts'
import { SwitchScenario } from './switch-scenario.tsx'
import { Why } from './why.tsx'

/** One request with its answer, beside the list. It stays as it was opened, also where the journal loses it. */
export function RequestDetail({ id, ...manners }: ClientManners & { id: string }) {
  const { value, problem } = useAnswer('/requests/{id}', { path: { id } })
  const opened = useRef(value)
  opened.current ??= value
  const exchange = opened.current
  const isOther = exchange && sandbox.value !== '*' && exchange.sandbox !== sandbox.value
  const isGone = problem?.status === 404 || value?.at !== exchange?.at
  return (
    <section class="split-side request-detail" aria-label={`Request ${id}`} tabIndex={-1} data-open>
      {exchange && !isOther && <Detail {...{ exchange, isGone, ...manners }} />}
      {exchange && isOther && (
        <Empty title="This request is of another sandbox">
          It belongs to the sandbox {exchange.sandbox}.{' '}
          <a href={hrefOf({ id, query: { sandbox: exchange.sandbox } })}>Show it there</a>{' '}
          <a href={hrefOf({ id: undefined })}>Close</a>
        </Empty>
      )}
      {!exchange && problem && (
        <Empty title="This request cannot be shown">
          {problem.sentence} <a href={hrefOf({ id: undefined })}>Close</a>
        </Empty>
      )}
    </section>
  )
}

interface ShownProps extends ClientManners {
  readonly exchange: Schema<'Exchange'>
  /** Is true once the journal does not have the request any more. */
  readonly isGone: boolean
}

function Detail({ exchange, isGone, tries, mannersOf }: ShownProps) {
  const { request, answer, violations, answerViolations, advice } = exchange
  const remarks: Remark[] = [
    ...violations.map((one) => ({ ...one, kind: 'violation' as const })),
    ...answerViolations.map((one) => ({ ...one, kind: 'damage' as const })),
    ...advice.map((one) => ({ ...one, kind: 'advice' as const })),
  ]
  const remarksOf = (...parts: Remark['in'][]) => remarks.filter((remark) => parts.includes(remark.in))
  const manners = mannersOf(exchange)
  return (
    <>
      <header>
        <h2 class="cut-off" title={targetOf(exchange)}>
          {describeSubject(request.path, request.body)}{' '}
          <span class="path mono">
            {request.method} {shortenIds(targetOf(exchange))}
          </span>
        </h2>
        <a class="close" href={hrefOf({ id: undefined })} aria-label="Close the request" title="Close (Esc)">
          ✕
        </a>
      </header>
      {isGone && (
        <p class="remark marked advice" role="status">
          The journal does not have this request any more: it was cleared, or the simulator was started again.
        </p>
      )}
      <Facts {...{ exchange, tries, mannersOf }} />
      <Actions exchange={exchange} isRecorded={!isGone} />
      {manners.map((sentence) => (
        <p key={sentence} class="remark marked violation">
          Bad manners: {sentence}
        </p>
      ))}
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

function Facts({ exchange, tries, mannersOf }: Omit<ShownProps, 'isGone'>) {
  const { id, answer, operation, now, at, tookMs, delayMs, expectation, replayOf } = exchange
  const tried = tries.get(id)
  return (
    <p class="facts">
      <Outcome status={answer.status} end={exchange} /> <Marks exchange={exchange} manners={mannersOf(exchange)} />
      <span>{operation ?? 'no operation'}</span>
      {expectation && <span>a negative test of a {expectation}</span>}
      {replayOf !== undefined && (
        <span>
          sent from the console, as <a href={hrefOf({ id: replayOf })}>{replayOf}</a> was; no report counts it
        </span>
      )}
      {sandbox.value === '*' && <span>sandbox {exchange.sandbox}</span>}
      <span>
        {formatDuration(tookMs)}
        {delayMs > 0 && `, of which ${formatDuration(delayMs)} of delay`}
      </span>
      <span>
        {formatInstant(now)} UTC, <Ago instant={at} clock="machine" />
      </span>
      {tried && <a href={hrefOf({ view: 'retries', id: tried.chain.id })}>Try {tried.number} of a call that failed</a>}
    </p>
  )
}
