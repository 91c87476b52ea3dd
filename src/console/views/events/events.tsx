import { type Signal, useSignal } from '@preact/signals'
import { call, type QueryOf, type ResponseOf, type Schema } from '../../api/call.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { change } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, FieldForm } from '../../ui/controls.tsx'
import { Empty, eventRequest, Loading } from '../../ui/empty.tsx'
import { DetailPanel, SearchableList } from '../../ui/searchable-list.tsx'
import { QualityTable } from '../../ui/table.tsx'
import { countListed, isUuid } from '../../ui/text.tsx'
import { EventDetail, EventList } from './event-detail.tsx'

const pageSize = 200

const maxEvents = 10_000

export function EventsPage() {
  const { id, query } = route.value
  const limit = useSignal(pageSize)
  const search = parseEventSearch(query['q'] ?? '')
  const { value, problem } = useResponse('/events', {
    query: { sandbox: sandbox.value, order: 'newest', limit: limit.value, ...search.conditions },
    followsTraffic: true,
  })
  const { value: quality } = useResponse('/quality', { query: { sandbox: sandbox.value }, followsTraffic: true })
  return (
    <div class="split with-open with-summary">
      <SearchableList
        noun="event"
        ids={(value?.events ?? []).map(({ eventId }) => eventId)}
        placeholder="Search by event type"
        problem={search.problem ?? (value && problem?.sentence)}
        note={value && countListed(value.events.length, value.total)}
        isNoteAnnounced
      >
        {value ? <Listing page={value} limit={limit} /> : <Loading problem={problem} />}
      </SearchableList>
      <DetailPanel label={id === undefined ? 'Quality' : 'Event'} isOpen={id !== undefined}>
        {id === undefined && quality && <QualityPanel quality={quality} />}
        {id !== undefined && <OpenEvent key={id} id={id} quality={quality} />}
      </DetailPanel>
    </div>
  )
}

function Listing({ page, limit }: { page: ResponseOf<'/events', 'get'>; limit: Signal<number> }) {
  if (page.total === 0) return <NoEvents isSearch={Boolean(route.value.query['q'])} />
  const showMore = () => {
    limit.value = Math.min(maxEvents, limit.value + pageSize * 4)
  }
  return (
    <div class="event-list rows scroll">
      <EventList events={page.events} />
      {page.events.length < Math.min(page.total, maxEvents) && <Button label="Show more" onClick={showMore} />}
    </div>
  )
}

/** The event in the URL. It stays open even if a different search or newer events remove it from the list. */
function OpenEvent({ id, quality }: { id: string; quality: Schema<'Quality'> | undefined }) {
  const { value, problem } = useResponse('/events', {
    query: { sandbox: sandbox.value, eventId: id, limit: 1 },
    followsTraffic: true,
  })
  if (!value) return <Loading problem={problem} />
  const [event] = value.events
  if (event) return <EventDetail event={event} quality={quality} />
  return (
    <Empty title="Event not found">
      The sandbox has no event {id}. <a href={hrefOf({ id: undefined, query: { q: undefined } })}>Show all events</a>
    </Empty>
  )
}

function QualityPanel({ quality }: { readonly quality: Schema<'Quality'> }) {
  const setWeight = (text: string) => {
    const update = call('put', '/quality', { query: { sandbox: sandbox.value }, body: { weight: Number(text) } })
    return change(update, ({ weight }) => `The weight is ${weight}.`)
  }
  return (
    <>
      <h2>Quality indexes</h2>
      <div class="facts">
        Weight of events
        <FieldForm
          label="Weight of events"
          value={String(quality.weight)}
          action="Set"
          change={setWeight}
          field={{ type: 'number', min: 0, max: 1, step: 'any', required: true }}
        />
      </div>
      <p class="faint">
        An index is 0.5 + weight × the sum of impacts, kept between 0 and 1. Events dropped by sampling do not count.
      </p>
      {quality.products.length > 0 ? <QualityTable {...quality} /> : <p class="faint">No product has events yet.</p>}
    </>
  )
}

function NoEvents({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty title="No events match">
        Keywords: <code>type: product: conversation: external: insert: sampled:</code>{' '}
        <a href={hrefOf({ query: { q: undefined } })}>Show all events</a>
      </Empty>
    )
  return (
    <Empty title="No events yet" curl={eventRequest({ insertId: 'order-1' })}>
      Record an event: its influence changes the indexes of its product and conversation. If you send the event again
      with the same <code>insertId</code>, it counts only once.
    </Empty>
  )
}

type EventConditions = NonNullable<QueryOf<'/events', 'get'>>

/** The search keywords. Each function returns the conditions for a valid value, or else describes the valid values. */
const keywords: Readonly<Record<string, (value: string) => EventConditions | string>> = {
  type: (value) => ({ eventType: value }),
  product: (value) => (isUuid(value) ? { productId: value } : `the UUID of a product, not "${value}"`),
  conversation: (value) => ({ conversation: value }),
  external: (value) => ({ externalConversationId: value }),
  insert: (value) => ({ insertId: value }),
  sampled: (value) => (/^(out|in)$/.test(value) ? { sampledOut: value === 'out' } : '"out" or "in"'),
}

/**
 * Parses search text such as `type:upgrade_purchased sampled:out`. Text without a keyword is an event type.
 * Returns the search conditions and, if the text is invalid, the problem.
 */
function parseEventSearch(text: string) {
  const conditions: EventConditions = {}
  let problem: string | undefined
  for (const [, keyword = 'type', quoted, plain = ''] of text.matchAll(
    /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|([^\s"]+))/gis,
  )) {
    const found = keywords[keyword.toLowerCase()]?.(quoted?.replace(/\\(.)/gs, '$1') ?? plain)
    if (typeof found === 'object') Object.assign(conditions, found)
    else if (found !== undefined) problem ??= `"${keyword}:" takes ${found}.`
    else
      problem ??= `Unknown keyword "${keyword}:". Use ${Object.keys(keywords).join(':, ')}: or an event type in quotes.`
  }
  return { conditions, problem }
}
