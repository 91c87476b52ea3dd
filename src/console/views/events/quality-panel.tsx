import { useSignal } from '@preact/signals'
import type { Schema } from '../../api/answers.ts'
import { ask } from '../../api/ask.ts'
import { tell, valueOrNotice } from '../../store/notices.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
import { DataTable } from '../../ui/table.tsx'
import { count, searchText, shortId } from '../../ui/text.ts'
import { formatSigned } from './event-list.tsx'

/** Properties of `QualityPanel`. */
export interface QualityPanelProps {
  /** Undefined: not read yet. */
  readonly quality: Schema<'Quality'> | undefined
  /** Reads the indexes again, after a change. */
  readonly reload: () => Promise<void>
}

/** The weight of events, and the quality index of each product and conversation. */
export function QualityPanel({ quality, reload }: QualityPanelProps) {
  if (!quality) return null
  const { weight, products, conversations } = quality
  return (
    <div class="quality">
      <h2>Quality indexes</h2>
      <WeightForm weight={weight} reload={reload} />
      <p class="faint">
        An index is 0.5 + weight × the sum of the impacts, within 0 and 1. Events that sampling dropped move none.
      </p>
      <Indexes
        title="Products"
        name="PQI"
        word="product"
        rows={products.map(({ productId, name, pqi, ...others }) => ({
          ...others,
          id: productId,
          label: name ?? shortId(productId),
          index: pqi,
        }))}
      />
      <Indexes
        title="Conversations"
        name="CQI"
        word="conversation"
        rows={conversations.map(({ conversation, cqi, ...others }) => ({
          ...others,
          id: conversation,
          label: shortId(conversation),
          index: cqi,
        }))}
      />
    </div>
  )
}

interface WeightFormProps {
  readonly weight: number
  readonly reload: () => Promise<void>
}

function WeightForm({ weight, reload }: WeightFormProps) {
  const typed = useSignal<string | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    const body = { weight: Number(typed.value ?? weight) }
    const changed = valueOrNotice(await ask('put', '/quality', { query: { sandbox: sandbox.value }, body }))
    if (!changed) return
    typed.value = undefined
    tell(`The weight is ${changed.weight}.`)
    await reload()
  }
  return (
    <form class="weight" onSubmit={(event) => void submit(event)}>
      <label>
        Weight of events{' '}
        <input
          type="number"
          min="0"
          max="1"
          step="any"
          required
          value={typed.value ?? weight}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
      </label>
      <button type="submit">Set</button>
    </form>
  )
}

interface IndexRow {
  readonly id: string
  readonly label: string
  readonly index: number
  readonly impact: number
  readonly events: number
}

interface IndexesProps {
  readonly title: string
  readonly name: 'PQI' | 'CQI'
  /** The word of the search that lists the events of a row. */
  readonly word: string
  readonly rows: readonly IndexRow[]
}

/** The most rows of a table of indexes, those that were moved furthest. */
const maxIndexes = 100

function Indexes({ title, name, word, rows }: IndexesProps) {
  if (rows.length === 0)
    return (
      <p class="faint no-index">
        No {title.toLowerCase().slice(0, -1)} has an event yet
        {name === 'CQI' && ': send one with a conversationId or an externalConversationId'}.
      </p>
    )
  const listed = rows.toSorted((a, b) => Math.abs(b.impact) - Math.abs(a.impact)).slice(0, maxIndexes)
  return (
    <>
      <DataTable
        title={`${name} of each of the ${title.toLowerCase()}`}
        columns={[
          {
            title: title.slice(0, -1),
            class: 'label',
            cell: ({ id, label }: IndexRow) => (
              <a href={hrefOf({ query: { q: searchText(word, id) } })} title={`List the events of ${id}`}>
                {label}
              </a>
            ),
          },
          {
            title: name,
            class: 'index',
            cell: ({ index }) => (
              <>
                {index.toFixed(3)} <IndexBar index={index} />
              </>
            ),
          },
          { title: 'Impact', isNumber: true, cell: ({ impact }) => formatSigned(impact) },
          { title: 'Events', isNumber: true, cell: ({ events }) => events.toLocaleString('en') },
        ]}
        rows={listed}
        keyOf={({ id }) => id}
      />
      {listed.length < rows.length && (
        <p class="faint">{count(rows.length - listed.length, title.toLowerCase().slice(0, -1))} more</p>
      )}
    </>
  )
}

/** The index as a bar from the middle, where it is without events. */
function IndexBar({ index }: { readonly index: number }) {
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <path class="ground" d="M0 5H100" />
      <path class={index < 0.5 ? 'down' : 'up'} d={`M50 5H${index * 100}`} />
      <path class="middle" d="M50 0V10" />
    </svg>
  )
}
