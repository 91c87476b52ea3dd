import { useRef } from 'preact/hooks'
import { call, callText, type Schema } from '../../api/call.ts'
import { useCommands } from '../../store/commands.ts'
import { confirmAction, showNotice, showProblem, valueOrNotice } from '../../store/notices.ts'
import { hrefOf, navigate, sandbox } from '../../store/route.ts'
import { change } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton } from '../../ui/controls.tsx'
import { Empty } from '../../ui/empty.tsx'
import { DetailHeader, DetailPanel } from '../../ui/searchable-list.tsx'
import { Ago, formatDuration, formatInstant, pluralize } from '../../ui/text.tsx'
import { BodySection, HeaderSection, QuerySection, type Remark, RemarkList } from './message.tsx'
import { findSendProblem, formatFetch, formatVitest, replayHeader, targetOf, toReplay, urlOf } from './replay.ts'
import { Marks, Outcome } from './request-list.tsx'
import { attempts, retryProblemsOf } from './search.ts'
import { describeSubject, shortenIds } from './subject.ts'
import { SwitchScenario } from './switch-scenario.tsx'
import { Why } from './why.tsx'

/** Shows a request and its response next to the list. They remain visible after the journal has evicted the request. */
export function RequestDetail({ id }: { readonly id: string }) {
  const { value, problem } = useResponse('/requests/{id}', { path: { id } })
  const firstValue = useRef(value)
  firstValue.current ??= value
  const exchange = firstValue.current
  const isElsewhere = exchange && sandbox.value !== '*' && exchange.sandbox !== sandbox.value
  const isGone = problem?.status === 404 || value?.at !== exchange?.at
  return (
    <DetailPanel label={`Request ${id}`}>
      {exchange && !isElsewhere && <Detail exchange={exchange} isGone={isGone} />}
      {exchange && isElsewhere && (
        <Empty title="This request belongs to another sandbox">
          It was sent to the sandbox {exchange.sandbox}.{' '}
          <a href={hrefOf({ id, query: { sandbox: exchange.sandbox } })}>Show it there</a>{' '}
          <a href={hrefOf({ id: undefined })}>Close</a>
        </Empty>
      )}
      {!exchange && problem && (
        <Empty title="This request cannot be shown">
          {problem.sentence} <a href={hrefOf({ id: undefined })}>Close</a>
        </Empty>
      )}
    </DetailPanel>
  )
}

function Detail({ exchange, isGone }: { exchange: Schema<'Exchange'>; isGone: boolean }) {
  const { request, response, violations, responseViolations, advice } = exchange
  const remarks: Remark[] = [
    ...violations.map((one) => ({ ...one, kind: 'violation' as const })),
    ...responseViolations.map((one) => ({ ...one, kind: 'damage' as const })),
    ...advice.map((one) => ({ ...one, kind: 'advice' as const })),
  ]
  const remarksOf = (...parts: Remark['in'][]) => remarks.filter((remark) => parts.includes(remark.in))
  return (
    <>
      <DetailHeader noun="request">
        <h2 class="cut-off" title={targetOf(exchange)}>
          <span class="path mono">
            {request.method} {shortenIds(targetOf(exchange))}
          </span>{' '}
          {describeSubject(request.path, request.body)}
        </h2>
      </DetailHeader>
      {isGone && (
        <p class="remark marked advice" role="status">
          The journal no longer has this request: it was cleared or evicted, or the simulator was restarted.
        </p>
      )}
      <Facts exchange={exchange} />
      <Actions exchange={exchange} isRecorded={!isGone} />
      {retryProblemsOf(exchange).map((sentence) => (
        <p key={sentence} class="remark marked violation">
          Retry problem: {sentence}
        </p>
      ))}
      <Why exchange={exchange} />
      <RemarkList remarks={remarksOf('path', 'header')} />
      <QuerySection query={request.query} remarks={remarksOf('query')} />
      <BodySection title="Request body" body={request.body} remarks={remarksOf('body')} />
      <HeaderSection title="Request headers" headers={request.headers} />
      <BodySection title="Response body" body={response.body} remarks={remarksOf('response')} />
      <HeaderSection title="Response headers" headers={response.headers} />
      <SwitchScenario exchange={exchange} />
    </>
  )
}

function Facts({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { id, response, operation, now, at, tookMs, delayMs, expectation, replayOf } = exchange
  const found = attempts.value.get(id)
  return (
    <p class="facts">
      <Outcome status={response.status} facts={exchange} />{' '}
      <Marks exchange={exchange} retryProblems={retryProblemsOf(exchange)} />
      <span>{operation ?? 'no operation'}</span>
      {expectation && <span>a negative test: expects a {expectation}</span>}
      {replayOf !== undefined && (
        <span>
          a copy of <a href={hrefOf({ id: replayOf })}>{replayOf}</a>, sent from the console; not counted in reports
        </span>
      )}
      {sandbox.value === '*' && <span>sandbox {exchange.sandbox}</span>}
      <span>
        {formatDuration(tookMs)}
        {delayMs > 0 && `, including a delay of ${formatDuration(delayMs)}`}
      </span>
      <span>
        {formatInstant(now)} UTC, <Ago instant={at} clock="machine" />
      </span>
      {found && <a href={hrefOf({ view: 'retries', id: found.chain.id })}>Attempt {found.number} of a retried call</a>}
    </p>
  )
}

function Actions({ exchange, isRecorded }: { exchange: Schema<'Exchange'>; isRecorded: boolean }) {
  const problem = findSendProblem(exchange)
  const resend = () => void sendAgain(exchange)
  useCommands(problem === undefined ? [{ title: 'Send the request again', key: 'r', run: resend }] : [], [exchange])
  const curl = () => valueOrNotice(callText('/requests/{id}', { path: { id: exchange.id }, query: { format: 'curl' } }))
  return (
    <div class="request-actions wraps">
      <span class="faint">Copy as</span>
      <CopyButton label="curl" title="Copy as curl" text={curl} isDisabled={!isRecorded} />
      <CopyButton label="fetch" title="Copy as fetch" text={async () => formatFetch(exchange)} />
      <CopyButton label="vitest" title="Copy as a vitest test" text={async () => formatVitest(exchange)} />
      <Button label="Send again" class="last" disabled={problem !== undefined} title={problem} onClick={resend} />
    </div>
  )
}

async function sendAgain(exchange: Schema<'Exchange'>): Promise<void> {
  const { method, headers: recorded, body } = toReplay(exchange)
  const headers = { ...recorded, [replayHeader]: exchange.id }
  try {
    const response = await fetch(urlOf(exchange), { method, headers, ...(body !== undefined && { body }) })
    const id = response.headers.get('x-sim-request-id') ?? response.headers.get('x-request-id')
    showNotice(`Sent again. The response status is ${response.status}.`)
    if (id !== null) navigate({ view: 'requests', id })
    await response.arrayBuffer()
  } catch {
    showProblem(
      'The connection failed before the response was complete, perhaps due to a scenario. Check the list of requests.',
    )
  }
}

export async function clearRequests(): Promise<void> {
  const name = sandbox.peek()
  const scope = name === '*' ? 'all sandboxes' : `the sandbox ${name}`
  const losses = ['all recorded requests', 'all retry problems and coverage']
  if (await confirmAction(`Clear the requests in ${scope}?`, losses))
    await change(
      call('delete', '/requests', { query: { sandbox: name } }),
      ({ deleted }) => `Cleared ${pluralize(deleted, 'request')}.`,
    )
}
