import { type Signal, useSignal } from '@preact/signals'
import { ask, type QueryOf, type ResponseOf, type Schema } from '../../api/ask.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { change } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, FieldForm } from '../../ui/controls.tsx'
import { Empty, eventRequest, Loading } from '../../ui/empty.tsx'
import { OpenPart, SearchableList } from '../../ui/searchable-list.tsx'
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
        placeholder="Search for a type of event"
        problem={search.problem ?? (value && problem?.sentence)}
        note={value && countListed(value.events.length, value.total)}
        isNoteSpoken
      >
        {value ? <Listing page={value} limit={limit} /> : <Loading problem={problem} />}
      </SearchableList>
      <OpenPart label={id === undefined ? 'Quality' : 'Event'} isOpen={id !== undefined}>
        {id === undefined && quality && <QualityPanel quality={quality} />}
        {id !== undefined && <OpenEvent key={id} id={id} quality={quality} />}
      </OpenPart>
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
      {page.events.length < Math.min(page.total, maxEvents) && <Button label="List more" onClick={showMore} />}
    </div>
  )
}

/** The event that the address names. It stays open when newer events or another search replace it in the list. */
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
    const setting = ask('put', '/quality', { query: { sandbox: sandbox.value }, body: { weight: Number(text) } })
    return change(setting, ({ weight }) => `The weight is ${weight}.`)
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
        An index is 0.5 + weight × the sum of the impacts, within 0 and 1. Events dropped by sampling change none.
      </p>
      {quality.products.length > 0 ? <QualityTable {...quality} /> : <p class="faint">No product has an event yet.</p>}
    </>
  )
}

function NoEvents({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty title="No event matches">
        Keywords: <code>type: product: conversation: external: insert: sampled:</code>{' '}
        <a href={hrefOf({ query: { q: undefined } })}>Show all events</a>
      </Empty>
    )
  return (
    <Empty title="No events yet" curl={eventRequest({ insertId: 'order-1' })}>
      Record one. Its influence changes the indexes of its product and conversation. Sent again with the same{' '}
      <code>insertId</code>, it counts once.
    </Empty>
  )
}

type EventConditions = NonNullable<QueryOf<'/events', 'get'>>

/** The keywords of the search. Each returns the conditions for a value, or a description of valid values. */
const words: Readonly<Record<string, (value: string) => EventConditions | string>> = {
  type: (value) => ({ eventType: value }),
  product: (value) => (isUuid(value) ? { productId: value } : `the UUID of a product; "${value}" is not one`),
  conversation: (value) => ({ conversation: value }),
  external: (value) => ({ externalConversationId: value }),
  insert: (value) => ({ insertId: value }),
  sampled: (value) => (/^(out|in)$/.test(value) ? { sampledOut: value === 'out' } : 'out or in'),
}

/**
 * Parses `type:upgrade_purchased conversation:chat-1 sampled:out`. A text without a keyword is an event type.
 * `problem`: what is wrong with the text, if anything.
 */
function parseEventSearch(text: string) {
  const conditions: EventConditions = {}
  let problem: string | undefined
  for (const [, word = 'type', quoted, plain = ''] of text.matchAll(
    /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|([^\s"]+))/gis,
  )) {
    const found = words[word.toLowerCase()]?.(quoted?.replace(/\\(.)/gs, '$1') ?? plain)
    if (typeof found === 'object') Object.assign(conditions, found)
    else if (found !== undefined) problem ??= `${word}: takes ${found}.`
    else
      problem ??= `Unknown keyword "${word}:". Known: ${Object.keys(words).join(':, ')}:. Put an event type in quotes.`
  }
  return { conditions, problem }
}
