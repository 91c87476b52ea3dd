import type { Schema } from '../../api/answers.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
import { Mark, Status } from '../../ui/status.tsx'
import { count } from '../../ui/text.ts'
import { formatDuration, formatTimeOfDay } from '../../ui/time.tsx'
import { targetOf } from './replay.ts'
import { type DeliveryFacts, describeCause, describeSubject, findBreak, shortenIds } from './subject.ts'

interface RequestRowProps {
  readonly exchange: Schema<'Exchange'>
  readonly isOpen: boolean
  /** The sentences about the bad manners of the request. */
  readonly manners: readonly string[]
}

/** One request of the list, which its link covers. It is drawn anew only if its properties or signals change. */
export function RequestRow({ exchange, isOpen, manners }: RequestRowProps) {
  const { id, now, at, request, tookMs } = exchange
  const subject = describeSubject(request.path, request.body)
  const cause = describeCause(exchange)
  return (
    <tr data-id={id} class={isOpen ? 'open' : undefined}>
      <td class="time faint" title={`${now} by the sandbox's clock\n${at} by the machine's`}>
        {formatTimeOfDay(now)}
      </td>
      <td class="code">
        <Outcome status={exchange.answer.status} end={exchange} />
      </td>
      <td class="path">
        <a href={hrefOf({ id })} aria-current={isOpen ? 'true' : undefined} title={targetOf(exchange)}>
          {subject && `${subject} `}
          <span class={subject ? 'mono faint' : 'mono'}>
            {request.method} {shortenIds(request.path)}
            {request.query && `?${request.query}`}
          </span>
        </a>
      </td>
      <td class="cause faint" title={cause}>
        {cause}
      </td>
      {sandbox.value === '*' && <td class="sandbox">{exchange.sandbox}</td>}
      <td class="duration number faint">{formatDuration(tookMs)}</td>
      <td class="marks">
        <Marks exchange={exchange} manners={manners} />
      </td>
    </tr>
  )
}

/** Shows the status that the client received, or how the delivery broke. */
export function Outcome({ status, end }: { readonly status: number; readonly end: DeliveryFacts }) {
  const word = findBreak(end)
  if (word === undefined) return <Status code={status} />
  return (
    <span class="status nowrap bad" title={`The simulator had a ${status} ready, which the client did not get whole.`}>
      {word}
    </span>
  )
}

/** The marks of a request: violations, advice, bad manners, damage, and that the console sent it. */
export function Marks({ exchange, manners }: Pick<RequestRowProps, 'exchange' | 'manners'>) {
  const { violations, advice, damage, replayOf } = exchange
  const told = (list: readonly Schema<'Violation'>[]) =>
    list.map(({ in: part, pointer, message }) => `${part} ${pointer}: ${message}`).join('\n')
  return (
    <>
      {replayOf !== undefined && (
        <Mark
          kind="neutral"
          text="sent again"
          title={`Sent from the console, as ${replayOf} was. No report counts it.`}
        />
      )}
      {violations.length > 0 && (
        <Mark kind="violation" text={count(violations.length, 'violation')} title={told(violations)} />
      )}
      {manners.length > 0 && <Mark kind="violation" text="bad manners" title={manners.join('\n')} />}
      {advice.length > 0 && <Mark kind="advice" text={`${advice.length} advice`} title={told(advice)} />}
      {damage.length > 0 && !findBreak(exchange) && <Mark kind="damage" text="damaged" title={damage.join('\n')} />}
    </>
  )
}
