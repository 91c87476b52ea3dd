import type { Schema } from '../../api/answers.ts'
import { useProductNames } from '../../store/catalogue.ts'
import { hrefOf } from '../../store/route.ts'
import { formatSigned } from '../../ui/quality-table.tsx'
import { Mark } from '../../ui/status.tsx'
import { DataTable } from '../../ui/table.tsx'
import { asText, count, shortId } from '../../ui/text.ts'
import { formatInstant } from '../../ui/time.tsx'

/** Properties of the parts that show something of an event. */
export interface EventProps {
  readonly event: Schema<'StoredEvent'>
}

/** The list of events, the newest on top. */
export function EventList({ events, openId }: { events: readonly EventProps['event'][]; openId: string | undefined }) {
  const nameOf = useProductNames()
  return (
    <DataTable
      title="Events, the newest first"
      rows={events}
      keyOf={({ eventId }) => eventId}
      columns={[
        { title: 'Received', class: 'faint', cell: ({ receivedAt }) => formatInstant(receivedAt) },
        {
          title: 'Type',
          class: 'short-if-narrow',
          cell: ({ eventId, fields }) => (
            <a href={hrefOf({ id: eventId })} aria-current={eventId === openId ? 'true' : undefined}>
              {asText(fields.eventType)}
            </a>
          ),
        },
        { title: 'Value', class: 'if-room', isNumber: true, cell: ({ fields }) => asText(fields.value) },
        { title: 'Impact', isNumber: true, cell: (event) => <Impact event={event} /> },
        { title: 'Product', class: 'faint if-room', cell: ({ fields }) => nameOf(fields.productId) },
        { title: 'Notes', class: 'if-room', cell: (event) => <EventMarks event={event} /> },
        {
          title: 'Conversation',
          class: 'faint if-room',
          cell: ({ fields }) => shortId(asText(fields.conversationId ?? fields.externalConversationId ?? '')),
        },
        {
          title: 'Event at',
          class: 'faint if-wide',
          cell: ({ eventAtDefaulted, fields }) => (eventAtDefaulted ? '' : formatEventAt(asText(fields.eventAt))),
        },
      ]}
    />
  )
}

/** The impact with its sign; crossed out where sampling dropped the event. */
export function Impact({ event: { impact, sampledOut } }: EventProps) {
  const text = formatSigned(impact)
  return <span class={impact > 0 ? 'good' : impact < 0 ? 'bad' : ''}>{sampledOut ? <del>{text}</del> : text}</span>
}

const formatEventAt = (at: string) => (Number.isNaN(Date.parse(at)) ? at : formatInstant(at))

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
