import type { Schema } from '../../api/call.ts'
import { hrefOf, route } from '../../store/route.ts'
import { CopyButton } from '../../ui/controls.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { DetailHeader } from '../../ui/searchable-list.tsx'
import { DataTable, formatSigned } from '../../ui/table.tsx'
import { asText, formatInstant, Instant, Mark, nameOrId, pluralize, shortId } from '../../ui/text.tsx'

type StoredEvent = Schema<'StoredEvent'>

interface EventDetailProps {
  readonly event: StoredEvent
  readonly quality: Schema<'Quality'> | undefined
}

export function EventDetail({ event, quality }: EventDetailProps) {
  const { eventId, fields, receivedAt } = event
  return (
    <>
      <DetailHeader noun="event">
        <h2 class="breaks">{asText(fields.eventType)}</h2>
      </DetailHeader>
      <p class="facts">
        <EventMarks {...event} />
        <span>
          received <Instant instant={receivedAt} />
        </span>
        <span class="nowrap">
          event <code title={eventId}>{shortId(eventId)}</code>
          <CopyButton label="Copy" title="Copy the ID of the event" text={eventId} />
        </span>
      </p>
      <Explanations event={event} quality={quality} />
      <h3>Fields</h3>
      <JsonTree value={fields} />
    </>
  )
}

function Explanations({ event, quality }: EventDetailProps) {
  const { fields, impact, sampledOut, replays, repeatOf, eventAtDefaulted } = event
  const cause =
    fields.qualityImpactScore === undefined
      ? `the influence is ${asText(fields.influence)}`
      : 'the qualityImpactScore overrides the influence'
  return (
    <ul class="bullets breaks">
      <li>
        The impact is <Impact {...event} />, because {cause}.{' '}
        {sampledOut && `Sampling at a rate of ${asText(fields.sampleRate)} dropped the event, so no index changes.`}
        {!sampledOut && quality && `Quality indexes change by ${formatSigned(impact * quality.weight)} (scale 0 to 1).`}
      </li>
      {fields.forceSample === true && <li>forceSample exempts the event from sampling.</li>}
      {eventAtDefaulted && <li>The client did not send eventAt, so eventAt is the time of receipt.</li>}
      {replays > 0 && (
        <li>
          The event was sent {pluralize(replays, 'more time')} with the insertId {asText(fields.insertId)}, but counts
          only once.
        </li>
      )}
      {repeatOf !== undefined && (
        <li>
          An identical event, <a href={hrefOf({ id: repeatOf })}>{shortId(repeatOf)}</a>, was recorded earlier. Neither
          event has an insertId, so they are separate events.
        </li>
      )}
      {fields.conversationId === undefined && fields.externalConversationId === undefined && (
        <li>The event does not belong to a conversation, so no conversation index changes.</li>
      )}
    </ul>
  )
}

export const EventList = ({ events }: { readonly events: readonly StoredEvent[] }) => (
  <DataTable
    title="Events, newest first"
    rows={events}
    keyOf={({ eventId }) => eventId}
    columns={[
      { title: 'Received (UTC)', class: 'faint', cell: ({ receivedAt }) => formatInstant(receivedAt) },
      {
        title: 'Type',
        class: 'short-if-narrow',
        cell: ({ eventId, fields }) => (
          <a href={hrefOf({ id: eventId })} aria-current={eventId === route.value.id ? 'true' : undefined}>
            {asText(fields.eventType)}
          </a>
        ),
      },
      { title: 'Value', class: 'number if-room', cell: ({ fields }) => asText(fields.value) },
      { title: 'Impact', class: 'number', cell: (event) => <Impact {...event} /> },
      { title: 'Product', class: 'faint if-room', cell: ({ fields }) => nameOrId(fields.productId ?? '') },
      { title: 'Notes', class: 'if-room', cell: (event) => <EventMarks {...event} /> },
      {
        title: 'Conversation',
        class: 'faint if-room',
        cell: ({ fields }) => shortId(asText(fields.conversationId ?? fields.externalConversationId ?? '')),
      },
      {
        title: 'Occurred (UTC)',
        class: 'faint if-wide',
        cell: ({ eventAtDefaulted, fields }) => (eventAtDefaulted ? '' : formatEventAt(asText(fields.eventAt))),
      },
    ]}
  />
)

function Impact({ impact, sampledOut }: StoredEvent) {
  const text = formatSigned(impact)
  return <span class={impact > 0 ? 'good' : impact < 0 ? 'bad' : ''}>{sampledOut ? <del>{text}</del> : text}</span>
}

const formatEventAt = (at: string) => (Number.isNaN(Date.parse(at)) ? at : formatInstant(at))

const EventMarks = ({ replays, repeatOf, sampledOut }: StoredEvent) => (
  <>
    {replays > 0 && <Mark kind="good" text={pluralize(replays, 'replay')} />}
    {repeatOf !== undefined && <Mark kind="advice" text="repeated" />}
    {sampledOut && <Mark kind="neutral" text="sampled out" />}
  </>
)
