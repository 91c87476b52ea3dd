import type { Schema } from '../../api/answers.ts'
import { formatCurl, sampleEvent } from '../../ui/curl.ts'
import { CommandLine } from '../../ui/empty.tsx'
import { formatSigned, QualityTable } from '../../ui/quality-table.tsx'
import type { ChartsProps } from './charts.tsx'
import { type Figures, formatScore, qualityField, readNumber } from './figures.ts'

interface EventEffectsProps extends ChartsProps {
  /** The answer of a sandbox without events, or undefined if it is not known. */
  readonly without: Figures | undefined
  /** The products of the model. */
  readonly products: Schema<'Catalogue'>['products']
  /** Those of them that events have moved. */
  readonly moved: Schema<'Quality'>['products']
  readonly quality: Schema<'Quality'>
}

/** Says what events did to the answer, and to the quality indexes of the model's products and their conversations. */
export function EventEffects({ products, moved, quality, ...compared }: EventEffectsProps) {
  const [product] = products
  const ids = new Set(moved.flatMap(({ eventIds }) => eventIds))
  return (
    <section class="wide event-effects stack">
      <h3>
        What events did <span class="faint">weight {quality.weight}</span>
      </h3>
      {!product && <p class="faint">No product of the fixtures has this model, so no event changes its figures.</p>}
      {product && moved.length === 0 && (
        <>
          <p class="faint">
            Nothing yet: no event came for {products.map(({ name }) => name).join(' or ')}. Send one, and the quality of
            its day moves.
          </p>
          <CommandLine
            text={formatCurl({ method: 'POST', path: '/events', body: { ...sampleEvent, productId: product.id } })}
          />
        </>
      )}
      {moved.length > 0 && (
        <>
          <p>{describeDifference(compared)}</p>
          <QualityTable
            products={moved}
            conversations={quality.conversations.filter(({ eventIds }) => eventIds.some((id) => ids.has(id)))}
          />
        </>
      )}
    </section>
  )
}

function describeDifference({ figures, without, before }: Pick<EventEffectsProps, 'figures' | 'without' | 'before'>) {
  if (!without) return 'Reading the figures without events …'
  if (!before)
    return 'What the figures would be without events cannot be told, since a rule changes the answer each time.'
  const days = figures.days.filter((day, index) => readNumber(day, qualityField) !== before[index]).length
  const [now, then] = [readNumber(figures.body, qualityField), readNumber(without.body, qualityField)]
  if (days === 0 || now === null || then === null)
    return 'The figures are the same without events: none is on a day with conversations, or their impacts cancel out.'
  const change = `${formatScore(then)} without events (${formatSigned(now - then)})`
  const moved = `They moved ${days} of ${figures.days.length} days.`
  return `Conversation quality is ${formatScore(now)} on average and would be ${change}. ${moved}`
}
