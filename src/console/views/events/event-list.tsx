import type { Schema } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { Mark } from '../../ui/status.tsx'
import { DataTable } from '../../ui/table.tsx'
import { asText, count, shortId } from '../../ui/text.ts'
import { formatInstant } from '../../ui/time.tsx'

type StoredEvent = Schema<'StoredEvent'>

/** Properties of `EventList`. */
export interface EventListProps {
  /** The newest first. */
  readonly events: readonly StoredEvent[]
  readonly openId: string | undefined
  /** Lists more events; undefined: all are listed. */
  readonly showMore: (() => void) | undefined
}

/** The list of events, the newest on top. */
export function EventList({ events, openId, showMore }: EventListProps) {
  return (
    <div class="event-list rows scrolls">
      <DataTable
        title="Events, the newest first"
        columns={[
          {
            title: 'Received',
            class: 'received',
            cell: ({ receivedAt }: StoredEvent) => formatInstant(receivedAt),
          },
          {
            title: 'Type',
            class: 'type',
            cell: ({ eventId, fields }) => (
              <a href={hrefOf({ id: eventId })} aria-current={eventId === openId ? 'true' : undefined}>
                {asText(fields.eventType)}
              </a>
            ),
          },
          { title: 'Value', class: 'value', isNumber: true, cell: ({ fields }) => asText(fields.value) },
          { title: 'Impact', class: 'impact', isNumber: true, cell: (event) => <Impact event={event} /> },
          {
            title: 'Product',
            class: 'product',
            cell: ({ fields }) => shortId(asText(fields.productId)),
          },
          {
            title: 'Conversation',
            class: 'conversation',
            cell: ({ fields }) => shortId(asText(fields.conversationId ?? fields.externalConversationId ?? '')),
          },
          { title: 'Event at', class: 'event-at', cell: (event) => <EventAt event={event} /> },
          { title: 'Notes', class: 'marks', cell: (event) => <EventMarks event={event} /> },
        ]}
        rows={events}
        keyOf={({ eventId }) => eventId}
      />
      {showMore && (
        <button type="button" class="more" onClick={showMore}>
          List more
        </button>
      )}
    </div>
  )
}

/** Properties of the parts that show something of an event. */
export interface EventProps {
  readonly event: StoredEvent
}

/** The impact with its sign; crossed out where sampling dropped the event. */
export function Impact({ event: { impact, sampledOut } }: EventProps) {
  const direction = impact > 0 ? 'up' : impact < 0 ? 'down' : 'level'
  const text = formatSigned(impact)
  return <span class={`impact-of ${direction}`}>{sampledOut ? <del>{text}</del> : text}</span>
}

/** Formats a number with its sign: `+0.4`, `−1`, `0`. */
export const formatSigned = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toFixed(4))}`

function EventAt({ event: { eventAtDefaulted, fields } }: EventProps) {
  if (eventAtDefaulted) return <span class="faint">at receipt</span>
  const at = asText(fields.eventAt)
  return Number.isNaN(Date.parse(at)) ? at : formatInstant(at)
}

/** The marks of an event: sent again, repeated without an insertId, dropped by sampling. */
export function EventMarks({ event: { replays, repeatOf, sampledOut } }: EventProps) {
  return (
    <>
      {replays > 0 && <Mark kind="good" text={count(replays, 'replay')} />}
      {repeatOf !== undefined && <Mark kind="advice" text="repeated" />}
      {sampledOut && <Mark kind="neutral" text="sampled out" />}
    </>
  )
}
