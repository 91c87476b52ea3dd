import { type Signal, useSignal } from '@preact/signals'
import { ask, type ResponseOf, type Schema } from '../../api/ask.ts'
import { showNotice, valueOrNotice } from '../../store/notices.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, sampleEvent } from '../../ui/empty.tsx'
import { FieldForm } from '../../ui/fields.tsx'
import { QualityTable } from '../../ui/quality-table.tsx'
import { OpenPart, SearchableList } from '../../ui/split.tsx'
import { EventDetail, EventList } from './event-detail.tsx'
import { parseEventSearch } from './search.ts'

/** The events that are listed at first, and those that are added by a click. */
const pageSize = 200

/** The most events in one response of the control plane. */
const maxEvents = 10_000

/** Shows the view "Events". */
export function EventsPage() {
  const { id, query } = route.value
  const limit = useSignal(pageSize)
  const search = parseEventSearch(query['q'] ?? '')
  const { value, problem } = useResponse('/events', {
    query: { sandbox: sandbox.value, order: 'newest', limit: limit.value, ...search.conditions },
    followsTraffic: true,
  })
  const { value: quality, reload } = useResponse('/quality', {
    query: { sandbox: sandbox.value },
    followsTraffic: true,
  })
  return (
    <div class="split with-open with-summary">
      <SearchableList
        noun="event"
        ids={(value?.events ?? []).map(({ eventId }) => eventId)}
        placeholder="Search for a type of event"
        problem={search.problem ?? (value && problem?.sentence)}
        note={value && describeListed(value)}
        isNoteSpoken
      >
        {value ? <Listing page={value} limit={limit} /> : <Loading problem={problem} />}
      </SearchableList>
      <OpenPart label={id === undefined ? 'Quality' : 'Event'} isOpen={id !== undefined}>
        {id === undefined && quality && <QualityPanel quality={quality} reload={reload} />}
        {id !== undefined && <OpenEvent key={id} id={id} quality={quality} />}
      </OpenPart>
    </div>
  )
}

type EventPage = ResponseOf<'/events', 'get'>

function describeListed({ events, total }: EventPage): string {
  if (total === 0) return ''
  const part = events.length < total ? `${events.length.toLocaleString('en')} of ` : ''
  return `${part}${total.toLocaleString('en')} listed`
}

function Listing({ page, limit }: { readonly page: EventPage; readonly limit: Signal<number> }) {
  const { id, query } = route.value
  if (page.total === 0) return <NoEvents isSearch={Boolean(query['q'])} />
  const showMore = () => {
    limit.value = Math.min(maxEvents, limit.value + pageSize * 4)
  }
  return (
    <div class="event-list rows scroll">
      <EventList events={page.events} openId={id} />
      {page.events.length < Math.min(page.total, maxEvents) && <Button label="List more" onClick={showMore} />}
    </div>
  )
}

/** The event that the address names. It stays when newer ones, or another search, take its place in the list. */
function OpenEvent({ id, quality }: { id: string; quality: Schema<'Quality'> | undefined }) {
  const { value, problem } = useResponse('/events', {
    query: { sandbox: sandbox.value, eventId: id, limit: 1 },
    followsTraffic: true,
  })
  if (!value) return <Loading problem={problem} />
  const [event] = value.events
  if (event) return <EventDetail event={event} quality={quality} />
  return (
    <Empty title="There is no such event">
      The sandbox has no event {id}. <a href={hrefOf({ id: undefined, query: { q: undefined } })}>Show all events</a>
    </Empty>
  )
}

/** The weight of events, and the quality index of each product and conversation. */
function QualityPanel({ quality, reload }: { quality: Schema<'Quality'>; reload: () => Promise<void> }) {
  const change = async (weight: string) => {
    const body = { weight: Number(weight) }
    const changed = valueOrNotice(await ask('put', '/quality', { query: { sandbox: sandbox.value }, body }))
    if (!changed) return false
    showNotice(`The weight is ${changed.weight}.`)
    await reload()
    return true
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
          change={change}
          field={{ type: 'number', min: 0, max: 1, step: 'any', required: true }}
        />
      </div>
      <p class="faint">
        An index is 0.5 + weight × the sum of the impacts, within 0 and 1. Events that sampling dropped move none.
      </p>
      {quality.products.length > 0 ? <QualityTable {...quality} /> : <p class="faint">No product has an event yet.</p>}
    </>
  )
}

function NoEvents({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty title="No event matches">
        Words are <code>type:</code>, <code>product:</code>, <code>conversation:</code>, <code>external:</code> (the
        client’s own id of a conversation), <code>insert:</code> and <code>sampled:</code>.{' '}
        <a href={hrefOf({ query: { q: undefined } })}>Show all events</a>
      </Empty>
    )
  return (
    <Empty
      title="No events yet"
      curl={{ method: 'POST', path: '/events', body: { ...sampleEvent, insertId: 'order-1' } }}
    >
      Record one. With its influence it moves the indexes of its product and conversation; sent again with the same{' '}
      <code>insertId</code>, it counts once.
    </Empty>
  )
}
