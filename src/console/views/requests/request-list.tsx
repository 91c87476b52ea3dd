import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../api/call.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { Button } from '../../ui/controls.tsx'
import { formatDuration, Mark, pluralize, Status } from '../../ui/text.tsx'
import { targetOf } from './replay.ts'
import { retryProblemsOf } from './search.ts'
import { type DeliveryFacts, describeCause, describeSubject, findBreak, shortenIds } from './subject.ts'

type Exchange = Schema<'Exchange'>

const columns = {
  'Time (UTC)': 'time',
  Status: 'code',
  Request: 'request',
  Name: 'subject',
  Cause: 'cause',
  Sandbox: 'sandbox',
  Duration: 'duration number',
  Findings: 'findings',
}

/** The list of requests, newest first. While it is scrolled or a request is open, new rows do not move visible ones. */
export function RequestList({ listed, isScrolled }: { listed: readonly Exchange[]; isScrolled: { current: boolean } }) {
  const openId = route.value.id
  const box = useRef<HTMLDivElement>(null)
  const first = useRef<Element | null>(null)
  const newRowCount = useSignal(0)
  useLayoutEffect(() => {
    const list = box.current
    const before = first.current
    const rows = [...(list?.querySelectorAll('tbody tr') ?? [])]
    first.current = rows[0] ?? null
    if (!list || !before?.isConnected || before === rows[0]) return
    if (openId === undefined && list.scrollTop === 0) return
    list.scrollTop += topOf(before) - topOf(rows[0])
    newRowCount.value += rows.indexOf(before)
  }, [listed])
  const onScroll = () => {
    isScrolled.current = (box.current?.scrollTop ?? 0) > 0
    if (!isScrolled.current) newRowCount.value = 0
  }
  return (
    <div class="request-list rows scroll" ref={box} onScroll={onScroll}>
      {newRowCount.value > 0 && (
        <Button
          label={`↑ ${newRowCount.value} new`}
          class="primary pill small new-rows"
          onClick={() => box.current?.scrollTo(0, 0)}
        />
      )}
      <table>
        <caption class="hidden">Requests, newest first</caption>
        <thead>
          <tr>
            {Object.entries(columns).map(
              ([title, name]) =>
                (name !== 'sandbox' || sandbox.value === '*') && (
                  <th key={title} scope="col" class={name}>
                    {title}
                  </th>
                ),
            )}
          </tr>
        </thead>
        <tbody>
          {listed.map((exchange) => (
            <RequestRow
              key={exchange.number}
              exchange={exchange}
              isOpen={exchange.id === openId}
              retryProblems={retryProblemsOf(exchange)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns a row's exact vertical position in the window. (`offsetTop` would be rounded.) */
const topOf = (row: Element | undefined) => row?.getBoundingClientRect().top ?? 0

interface RequestRowProps {
  readonly exchange: Exchange
  readonly isOpen: boolean
  readonly retryProblems: readonly string[]
}

/** The link covers the whole row. The row re-renders only if its props or the signals that it reads change. */
function RequestRow({ exchange, isOpen, retryProblems }: RequestRowProps) {
  const { id, now, at, request, tookMs } = exchange
  const cause = describeCause(exchange)
  return (
    <tr data-id={id} class={isOpen ? 'open' : undefined}>
      <td class="time faint" title={`${now} on the sandbox's clock\n${at} on the machine's clock`}>
        {now.slice(11, 23)}
      </td>
      <td class="code">
        <Outcome status={exchange.response.status} facts={exchange} />
      </td>
      <td class="path mono">
        <a href={hrefOf({ id })} aria-current={isOpen ? 'true' : undefined} title={targetOf(exchange)}>
          <b class="method">{request.method}</b> {shortenIds(targetOf(exchange))}
        </a>
      </td>
      <td class="subject">{describeSubject(request.path, request.body)}</td>
      <td class="cause faint" title={cause}>
        {cause}
      </td>
      {sandbox.value === '*' && <td class="sandbox">{exchange.sandbox}</td>}
      <td class="duration number faint">{formatDuration(tookMs)}</td>
      <td class="marks">
        <Marks exchange={exchange} retryProblems={retryProblems} />
      </td>
    </tr>
  )
}

export function Outcome({ status, facts }: { readonly status: number; readonly facts: DeliveryFacts }) {
  const word = findBreak(facts)
  if (word === undefined) return <Status code={status} />
  return (
    <span class="status nowrap bad" title={`The client did not get the whole response. Status: ${status}.`}>
      {word}
    </span>
  )
}

const joinMessages = (violations: readonly Schema<'Violation'>[]) =>
  violations.map(({ in: part, pointer, message }) => `${part} ${pointer}: ${message}`).join('\n')

export function Marks({ exchange, retryProblems }: Pick<RequestRowProps, 'exchange' | 'retryProblems'>) {
  const { violations, advice, damage, replayOf } = exchange
  const sentAgain = `A copy of ${replayOf}, sent from the console. Not counted in reports.`
  return (
    <>
      {replayOf !== undefined && <Mark kind="neutral" text="sent again" title={sentAgain} />}
      {violations.length > 0 && (
        <Mark kind="violation" text={pluralize(violations.length, 'violation')} title={joinMessages(violations)} />
      )}
      {retryProblems.length > 0 && <Mark kind="violation" text="retry problems" title={retryProblems.join('\n')} />}
      {advice.length > 0 && <Mark kind="advice" text={`advice: ${advice.length}`} title={joinMessages(advice)} />}
      {damage.length > 0 && !findBreak(exchange) && <Mark kind="damage" text="damaged" title={damage.join('\n')} />}
    </>
  )
}
