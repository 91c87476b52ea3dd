import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
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

/**
 * One request with its answer, beside the list. It is read again after each new connection, since the server may be another process, and
 * while it is missing with each request that comes, since the ids of such a process begin anew.
 */
export function RequestDetail({ id }: { readonly id: string }) {
  const isMissing = useSignal(false)
  const { value, problem } = useAnswer('/requests/{id}', { path: { id }, followsTraffic: isMissing.value })
  const opening = useSignal(0)
  useEffect(() => {
    isMissing.value = problem?.status === 404
  }, [problem, isMissing])
  const isOfSandbox = sandbox.value === '*' || value?.sandbox === sandbox.value
  return (
    <section class="split-side request-detail" aria-label={`Request ${id}`} tabIndex={-1} data-open>
      {value && isOfSandbox && (
        <Opened key={opening.value} current={value} isGone={isMissing.value} openCurrent={() => (opening.value += 1)} />
      )}
      {value && !isOfSandbox && <OfOtherSandbox exchange={value} />}
      {!value && problem && (
        <Empty title="This request cannot be shown">
          {problem.sentence} <a href={hrefOf({ id: undefined })}>Close</a>
        </Empty>
      )}
    </section>
  )
}

function OfOtherSandbox({ exchange: { id, sandbox } }: { readonly exchange: Schema<'Exchange'> }) {
  const query = { sandbox: sandbox === 'default' ? undefined : sandbox }
  return (
    <Empty title="This request is of another sandbox">
      It belongs to the sandbox {sandbox}. <a href={hrefOf({ id, query })}>Show it there</a>{' '}
      <a href={hrefOf({ id: undefined })}>Close</a>
    </Empty>
  )
}

interface OpenedProps {
  /** The request that has the id now. */
  readonly current: Schema<'Exchange'>
  /** True: the journal has none of that id any more. */
  readonly isGone: boolean
  readonly openCurrent: () => void
}

/** A request as it was when it was opened. A simulator that was started again may have another one of the same id. */
function Opened({ current, isGone, openCurrent }: OpenedProps) {
  const { current: exchange } = useRef(current)
  if (exchange.at !== current.at)
    return (
      <Detail exchange={exchange} isRecorded={false}>
        This request belongs to the simulator before the restart.{' '}
        <button type="button" class="link" onClick={openCurrent}>
          Show the new {current.id}
        </button>
      </Detail>
    )
  return (
    <Detail exchange={exchange} isRecorded={!isGone}>
      {isGone && 'The journal does not have this request any more: it was cleared, or the simulator was started again.'}
    </Detail>
  )
}

interface DetailProps {
  readonly exchange: Schema<'Exchange'>
  /** False: the journal does not have it any more. */
  readonly isRecorded: boolean
  /** The remark about that; false: none. */
  readonly children: ComponentChildren
}

function Detail({ exchange, isRecorded, children: remark }: DetailProps) {
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
      {remark && (
        <p class="remark advice" role="status">
          {remark}
        </p>
      )}
      <Facts exchange={exchange} isRecorded={isRecorded} />
      <Actions exchange={exchange} isRecorded={isRecorded} />
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

function Facts({ exchange, isRecorded }: Pick<DetailProps, 'exchange' | 'isRecorded'>) {
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
      {isRecorded && <ChainLink exchange={exchange} />}
    </p>
  )
}
