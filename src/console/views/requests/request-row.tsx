import type { Schema } from '../../api/answers.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
import { Mark, Status } from '../../ui/status.tsx'
import { count } from '../../ui/text.ts'
import { formatDuration, formatTimeOfDay } from '../../ui/time.tsx'

/** Properties of `RequestRow`. */
export interface RequestRowProps {
  readonly exchange: Schema<'Exchange'>
  readonly isOpen: boolean
}

/** One request of the list. The link of the path covers the row. A component that reads signals is drawn anew only if they or its properties change. */
export function RequestRow({ exchange, isOpen }: RequestRowProps) {
  const { id, now, at, request, answer, tookMs } = exchange
  return (
    <tr data-id={id} class={isOpen ? 'open' : undefined}>
      <td class="time" title={`${now} by the sandbox's clock\n${at} by the machine's`}>
        {formatTimeOfDay(now)}
      </td>
      <td class="method">{request.method}</td>
      <td class="path">
        <a href={hrefOf({ id })} aria-current={isOpen ? 'true' : undefined} title={pathOf(exchange)}>
          {shortenIds(request.path)}
          {request.query && <span class="faint">?{request.query}</span>}
        </a>
      </td>
      <td class="code">
        <Status code={answer.status} />
      </td>
      <td class={`origin ${answer.origin}`}>{answer.origin}</td>
      {sandbox.value === '*' && <td class="sandbox">{exchange.sandbox}</td>}
      <td class="duration number">{formatDuration(tookMs)}</td>
      <td class="marks">
        <Marks exchange={exchange} />
      </td>
    </tr>
  )
}

/** Returns the path of a request with its query, as it was sent. */
export function pathOf({ request: { path, query } }: Schema<'Exchange'>): string {
  return query === '' ? path : `${path}?${query}`
}

/** Shortens the UUIDs of a path, so that its end can be read: `/v1/models/4f7c…9c34/analytics`. */
const shortenIds = (path: string) => path.replace(uuid, (id) => `${id.slice(0, 4)}…${id.slice(-4)}`)

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** The marks of a request: violations, advice, damage, and an answer that did not reach the client. */
export function Marks({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { violations, advice, damage, delivery, scenarios } = exchange
  const told = (list: readonly Schema<'Violation'>[]) =>
    list.map(({ in: part, pointer, message }) => `${part} ${pointer}: ${message}`).join('\n')
  return (
    <>
      {violations.length > 0 && (
        <Mark kind="violation" text={count(violations.length, 'violation')} title={told(violations)} />
      )}
      {advice.length > 0 && <Mark kind="advice" text={`${advice.length} advice`} title={told(advice)} />}
      {(damage.length > 0 || delivery.outcome === 'damaged') && (
        <Mark kind="damage" text="damaged" title={[...damage, ...scenarios].join('\n')} />
      )}
      {delivery.outcome === 'client-gone' && (
        <Mark
          kind="advice"
          text="client gone"
          title="The client closed the connection before the whole answer was sent."
        />
      )}
    </>
  )
}
