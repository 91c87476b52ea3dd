import { Fragment } from 'preact'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { formatCurl, sampleEvent } from '../../ui/curl.ts'
import { CommandLine } from '../../ui/empty.tsx'
import { DataTable } from '../../ui/table.tsx'
import { searchText } from '../../ui/text.ts'
import { type Figures, formatMeasure, numberOf, qualityField } from './figures.ts'
import type { CatalogueModel } from './model-list.tsx'

type Quality = Schema<'Quality'>

/** Properties of `EventEffects`. */
export interface EventEffectsProps {
  readonly figures: Figures
  /** The answer of a sandbox without events; undefined: not known. */
  readonly without: Figures | undefined
  /** The quality of each day without events; undefined: no honest comparison. */
  readonly before: readonly (number | null)[] | undefined
  /** The products of the model. */
  readonly products: AnswerOf<'/catalogue', 'get'>['products']
  /** Those of them that events have moved. */
  readonly moved: Quality['products']
  readonly quality: Quality
  /** The models that have products. */
  readonly others: readonly CatalogueModel[]
}

/** The most conversations that are listed. */
const maxConversations = 10

/** Says what events did to the answer, and to the quality indexes of the model's products and their conversations. */
export function EventEffects({ products, moved, quality, others, ...compared }: EventEffectsProps) {
  const [product] = products
  return (
    <section class="figure wide event-effects">
      <h3>
        What events did <span class="faint">weight {quality.weight}</span>
      </h3>
      {!product && (
        <p class="faint">
          No product of the fixtures has this model, so no event changes its figures. Events change those of{' '}
          {others.map(({ id, name }, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <a href={hrefOf({ id, query: { as: undefined } })}>{name}</a>
            </Fragment>
          ))}
          .
        </p>
      )}
      {product && moved.length === 0 && (
        <>
          <p class="faint">
            Nothing yet: no event came for {products.map(({ name }) => name).join(' or ')}. Send one, and the quality of
            its day moves.
          </p>
          <CommandLine
            text={formatCurl({
              method: 'POST',
              path: '/events',
              body: { ...sampleEvent, productId: product.id },
            })}
          />
        </>
      )}
      {moved.length > 0 && (
        <>
          <p>{describeDifference(compared)}</p>
          <Indexes moved={moved} conversations={findConversations(moved, quality.conversations)} />
        </>
      )}
    </section>
  )
}

function describeDifference({
  figures,
  without,
  before,
}: Pick<EventEffectsProps, 'figures' | 'without' | 'before'>): string {
  if (!before)
    return without
      ? 'What the figures would be without events cannot be told, since a rule changes the answer each time.'
      : 'Reading the figures without events …'
  const days = figures.days.filter((day, index) => numberOf(day, qualityField) !== before[index]).length
  const [now, then] = [numberOf(figures.body, qualityField), numberOf(without?.body, qualityField)]
  if (days === 0 || now === null || then === null)
    return 'The figures of this period are the same without events: none is on a day with conversations, or their impacts cancel out.'
  const change = formatMeasure(Math.abs(now - then))
  return `Conversation quality is ${formatMeasure(now)} on average and would be ${formatMeasure(then)} without events (${now < then ? '−' : '+'}${change}). They moved ${days} of ${figures.days.length} days.`
}

/** Returns the conversations that have events of these products, as far as the listed ids of their events tell. */
function findConversations(moved: Quality['products'], all: Quality['conversations']): Quality['conversations'] {
  const ids = new Set(moved.flatMap(({ eventIds }) => eventIds))
  return all.filter(({ eventIds }) => eventIds.some((id) => ids.has(id)))
}

interface IndexRow {
  readonly kind: string
  readonly name: string
  /** The search of its events: `product:4f7c2a1e-...`. */
  readonly search: string
  readonly index: number
  readonly impact: number
  readonly events: number
}

function Indexes({
  moved,
  conversations,
}: Record<'moved', Quality['products']> & Record<'conversations', Quality['conversations']>) {
  const rows: IndexRow[] = [
    ...moved.map(({ productId, name, pqi, ...rest }) => ({
      ...rest,
      kind: 'Product',
      name: name ?? productId,
      search: searchText('product', productId),
      index: pqi,
    })),
    ...conversations.slice(0, maxConversations).map(({ conversation, cqi, ...rest }) => ({
      ...rest,
      kind: 'Conversation',
      name: conversation,
      search: searchText('conversation', conversation),
      index: cqi,
    })),
  ]
  const further = conversations.length - maxConversations
  return (
    <>
      <DataTable
        title="Quality indexes"
        rows={rows}
        keyOf={({ search }) => search}
        columns={[
          { title: 'Of', cell: ({ kind }) => kind },
          {
            title: 'Name',
            class: 'breaks',
            cell: ({ name, search }) => (
              <a href={hrefOf({ view: 'events', query: { q: search } })} title={`List the events of ${name}`}>
                {name}
              </a>
            ),
          },
          { title: 'Events', isNumber: true, cell: ({ events }) => events.toLocaleString('en') },
          { title: 'Impact', isNumber: true, cell: ({ impact }) => formatMeasure(impact) },
          {
            title: 'Index',
            isNumber: true,
            cell: ({ kind, index }) => `${kind === 'Product' ? 'PQI' : 'CQI'} ${formatMeasure(index)}`,
          },
        ]}
      />
      {further > 0 && <p class="faint">There are {further} more conversations.</p>}
    </>
  )
}
