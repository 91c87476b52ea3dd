import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { useCommands } from '../../store/commands.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { useListKeys } from '../../store/use-list-keys.ts'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { EventDetail } from './event-detail.tsx'
import { EventList } from './event-list.tsx'
import { QualityPanel } from './quality-panel.tsx'
import { parseEventSearch } from './search.ts'

/** The events that are listed at first, and those that are added by a click. */
const pageSize = 200

/** The most events in one answer of the control plane. */
const maxEvents = 10_000

/** Shows the view "Events". */
export function EventsPage() {
  const { id, query } = route.value
  const limit = useSignal(pageSize)
  const field = useRef<HTMLInputElement>(null)
  const search = parseEventSearch(query['q'] ?? '')
  const { value, problem } = useAnswer('/events', {
    query: { sandbox: sandbox.value, order: 'newest', limit: limit.value, ...search.conditions },
    followsTraffic: true,
  })
  const quality = useAnswer('/quality', { query: { sandbox: sandbox.value }, followsTraffic: true })
  useListKeys({
    noun: 'event',
    ids: () => (value?.events ?? []).map(({ eventId }) => eventId),
    open: (next) => replaceRoute({ id: next }),
    field,
  })
  useCommands([{ title: 'Close the event', key: 'Escape', run: () => replaceRoute({ id: undefined }) }], [])
  const open = useHeldEvent(value?.events, id)
  return (
    <div class="split events">
      <section class="split-pane" aria-label="Events">
        <div class="toolbar">
          <SearchField
            label="Search events"
            placeholder="type:upgrade_purchased conversation:chat-1 sampled:out"
            field={field}
          />
          <p class="toolbar-note" role="status">
            <Note wrong={search.problem ?? (value && problem?.sentence)} page={value} />
          </p>
        </div>
        {value ? <Listing page={value} limit={limit} /> : <Loading problem={problem} />}
      </section>
      <section
        class="split-side"
        aria-label={id === undefined ? 'Quality' : 'Event'}
        tabIndex={-1}
        data-open={id !== undefined || undefined}
      >
        {id === undefined ? (
          <QualityPanel quality={quality.value} reload={quality.reload} />
        ) : (
          <Opened event={open} page={value} id={id} quality={quality.value} />
        )}
      </section>
    </div>
  )
}

/** Finds the event that is open. It stays when newer ones, or another search, take its place in the list. */
function useHeldEvent(events: readonly Schema<'StoredEvent'>[] | undefined, id: string | undefined) {
  const held = useRef<Schema<'StoredEvent'> | undefined>(undefined)
  const found = events?.find(({ eventId }) => eventId === id)
  if (found) held.current = found
  return held.current?.eventId === id ? held.current : undefined
}

type EventPage = AnswerOf<'/events', 'get'>

interface ListingProps {
  readonly page: EventPage
  readonly limit: { value: number }
}

function Listing({ page: { events, total }, limit }: ListingProps) {
  const { id, query } = route.value
  if (total === 0) return <NoEvents isSearch={Boolean(query['q'])} />
  const showMore = () => (limit.value = Math.min(maxEvents, limit.value + pageSize * 4))
  const hasMore = events.length < Math.min(total, maxEvents)
  return <EventList events={events} openId={id} showMore={hasMore ? showMore : undefined} />
}

interface OpenedProps {
  readonly event: Schema<'StoredEvent'> | undefined
  readonly page: EventPage | undefined
  readonly id: string
  readonly quality: Schema<'Quality'> | undefined
}

function Opened({ event, page, id, quality }: OpenedProps) {
  if (event) return <EventDetail event={event} quality={quality} />
  return page ? <Unlisted key={id} id={id} quality={quality} /> : null
}

/** The event that the address names, where it is too old for the list, or left out of it. */
function Unlisted({ id, quality }: Omit<OpenedProps, 'event' | 'page'>) {
  const { value, problem } = useAnswer('/events', {
    query: { sandbox: sandbox.value, eventId: id, limit: 1 },
  })
  const event = value?.events[0]
  if (event) return <EventDetail event={event} quality={quality} />
  if (!value && !problem) return <Loading problem={undefined} />
  return (
    <Empty title="There is no such event">
      The sandbox has no event {id}. <a href={hrefOf({ id: undefined, query: { q: undefined } })}>Show all events</a>
    </Empty>
  )
}

interface NoteProps {
  readonly wrong: string | undefined
  readonly page: EventPage | undefined
}

function Note({ wrong, page }: NoteProps) {
  if (wrong !== undefined) return <span class="bad">{wrong}</span>
  if (!page || page.total === 0) return null
  return (
    <span class="faint">
      {page.events.length < page.total && `${page.events.length.toLocaleString('en')} of `}
      {page.total.toLocaleString('en')} listed
    </span>
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
  const body = { ...sampleEvent, insertId: 'order-1' }
  return (
    <Empty title="No events yet" curl={{ method: 'POST', path: '/events', body }}>
      Record one. With its influence it moves the indexes of its product and conversation; sent again with the same{' '}
      <code>insertId</code>, it counts once.
    </Empty>
  )
}
