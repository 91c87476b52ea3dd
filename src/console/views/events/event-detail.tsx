import type { Schema } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { formatSigned } from '../../ui/quality-table.tsx'
import { asText, count, searchText, shortId } from '../../ui/text.ts'
import { Instant } from '../../ui/time.tsx'
import { EventMarks, type EventProps, Impact } from './event-list.tsx'

type EventDetailProps = EventProps & { readonly quality: Schema<'Quality'> | undefined }

/** One event beside the list: what was sent, what the simulator made of it, and what it moves. */
export function EventDetail({ event, quality }: EventDetailProps) {
  const { eventId, fields, receivedAt } = event
  const common = [
    ['type', 'type', fields.eventType],
    ['product', 'product', fields.productId],
    ['conversation', 'conversation', fields.conversationId],
    ['external', 'conversation of the client', fields.externalConversationId],
  ] as const
  return (
    <>
      <header>
        <h2 class="breaks">{asText(fields.eventType)}</h2>
        <a class="close" href={hrefOf({ id: undefined })} aria-label="Close the event" title="Close (Esc)">
          ✕
        </a>
      </header>
      <p class="facts">
        <EventMarks event={event} />
        <span>
          received <Instant instant={receivedAt} />
        </span>
        <span class="nowrap">
          event <code title={eventId}>{shortId(eventId)}</code>
          <CopyButton label="Copy" title="Copy the id of the event" text={eventId} />
        </span>
      </p>
      <Sentences event={event} quality={quality} />
      <h3>Fields</h3>
      <JsonTree value={fields} />
      <p class="facts faint">
        List those of the same
        {common.map(
          ([word, label, value]) =>
            typeof value === 'string' && (
              <a key={word} href={hrefOf({ query: { q: searchText(word, value) } })}>
                {label}
              </a>
            ),
        )}
      </p>
    </>
  )
}

/** The sentences about the rules that acted on an event. */
function Sentences({ event, quality }: EventDetailProps) {
  const { fields, impact, sampledOut, replays, repeatOf, eventAtDefaulted } = event
  const cause =
    fields.qualityImpactScore === undefined
      ? `its influence is ${asText(fields.influence)}`
      : 'that is its qualityImpactScore, which overrides its influence'
  return (
    <ul class="bullets breaks">
      <li>
        Its impact is <Impact event={event} />: {cause}.{' '}
        {sampledOut && `Sampling with the rate ${asText(fields.sampleRate)} dropped it, so it moves no score.`}
        {!sampledOut && quality && `It moves indexes by ${formatSigned(impact * quality.weight)}, within 0 and 1.`}
      </li>
      {fields.forceSample === true && <li>forceSample exempts it from sampling.</li>}
      {eventAtDefaulted && <li>The client sent no eventAt: it is the time of receipt.</li>}
      {replays > 0 && (
        <li>
          It was sent again {count(replays, 'time')} with the insertId {asText(fields.insertId)}, and counts once.
        </li>
      )}
      {repeatOf !== undefined && (
        <li>
          An equal event, <a href={hrefOf({ id: repeatOf })}>{shortId(repeatOf)}</a>, had come before. Neither has an
          insertId, so both count.
        </li>
      )}
      {fields.conversationId === undefined && fields.externalConversationId === undefined && (
        <li>It belongs to no conversation, so it moves no CQI.</li>
      )}
    </ul>
  )
}
