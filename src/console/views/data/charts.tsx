import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Schema } from '../../api/call.ts'
import { Chart } from '../../ui/chart.tsx'
import { CopyButton } from '../../ui/controls.tsx'
import { CommandLine, eventRequest, formatCurl } from '../../ui/empty.tsx'
import { DataTable, formatSigned, Pairs, QualityTable } from '../../ui/table.tsx'
import { objectOf, textOrEmpty } from '../../ui/text.tsx'
import { type Numbers, qualityField, readNumber } from './analytics.ts'

/** The values reported per day and for the period, in the order of the charts: lines for scores, bars for counts. */
const measures = [
  { field: qualityField, title: 'Conversation quality', unit: '0 to 1', kind: 'line' },
  { field: 'avgSatisfactionScore', title: 'Satisfaction', unit: '0 to 1', kind: 'line' },
  { field: 'avgGrowthScore', title: 'Growth', unit: '0 to 1', kind: 'line' },
  { field: 'avgFrictionScore', title: 'Friction', unit: 'lower is better', kind: 'line' },
  { field: 'avgSafetyScore', title: 'Safety', unit: '0 to 1', kind: 'line' },
  { field: 'conversationCount', title: 'Conversations', unit: 'per day', kind: 'bar' },
  { field: 'messageCount', title: 'Messages', unit: 'per day', kind: 'bar' },
] as const

const labelFields = {
  averageUserSentiment: 'Sentiment',
  averageChangeInUserSentiment: 'Sentiment change',
  averageFrustration: 'Frustration',
  averageStruggle: 'Struggle',
  averageCommercialIntent: 'Commercial intent',
}

const detectionFields = {
  hallucinationCount: 'Hallucinations',
  jailbreakCount: 'Jailbreaks',
  userBiasCount: 'User bias',
  modelBiasCount: 'Model bias',
  userToxicityCount: 'User toxicity',
  modelToxicityCount: 'Model toxicity',
}

interface ChartsProps {
  readonly numbers: Numbers
  /** Each day's quality without events; undefined if there are no events, or if that quality is unknown. */
  readonly baseline: readonly (number | null)[] | undefined
}

const formatScore = (value: number): string => String(Math.round(value * 10_000) / 10_000)

const dayOf = (day: Numbers['days'][number]) => textOrEmpty(day['date']).slice(0, 10)

export function Charts({ numbers: { body, days }, baseline }: ChartsProps) {
  const cursor = useSignal<number | undefined>(undefined)
  return (
    <>
      {measures.map(({ field, title, unit, kind }) => {
        const overall = readNumber(body, field)
        const summary = kind === 'bar' ? `${overall?.toLocaleString('en')} in ${days.length} days` : `avg ${overall}`
        return (
          <div key={field} class={field === qualityField ? 'wide' : undefined}>
            <Chart
              days={days.map(dayOf)}
              values={days.map((day) => readNumber(day, field))}
              baseline={field === qualityField ? baseline : undefined}
              format={(value) => (kind === 'bar' ? value.toLocaleString('en') : formatScore(value))}
              summary={overall === null ? 'null' : summary}
              {...{ title, unit, kind, cursor }}
            />
          </div>
        )
      })}
    </>
  )
}

export function DayTable({ numbers: { days }, baseline }: ChartsProps) {
  const rows = days.map((day, index) => ({
    day: dayOf(day),
    values: [...measures.map(({ field }) => readNumber(day, field)), ...(baseline ? [baseline[index] ?? null] : [])],
  }))
  const titles = [...measures.map(({ title }) => title), ...(baseline ? ['Quality without events'] : [])]
  const csv = [['Day', ...titles], ...rows.map(({ day, values }) => [day, ...values])]
  const columns = titles.map((title, index) => ({
    title,
    class: 'number',
    cell: ({ values }: (typeof rows)[number]) =>
      (measures[index]?.kind === 'bar' ? values[index]?.toLocaleString('en') : values[index]?.toFixed(4)) ?? nullText,
  }))
  return (
    <section class="day-table scroll" aria-label="Days">
      <DataTable
        title="Numbers by day"
        rows={rows}
        keyOf={({ day }) => day}
        columns={[{ title: 'Day', class: 'nowrap', cell: ({ day }) => day }, ...columns]}
      />
      <CopyButton label="CSV" title="Copy as CSV" text={csv.map((cells) => cells.join()).join('\n')} />
    </section>
  )
}

const nullText = <span class="faint">null</span>

/** The values that the service reports only for the whole period: detections, labeled scores and the rating. */
export function Totals({ body }: Pick<Numbers, 'body'>) {
  const rating = readNumber(body, 'averageConversationRating')
  const detections = Object.entries(detectionFields).map(([field, title]): Fact => {
    const [total, percentage] = ['total', 'percentage'].map((name) => readNumber(objectOf(body[field]), name))
    return [title, total?.toLocaleString('en'), percentage != null && `${percentage}%`]
  })
  const labels = Object.entries(labelFields).map(([field, title]): Fact => {
    const found = objectOf(body[field])
    return [title, textOrEmpty(found['label']).replaceAll('_', ' '), readNumber(found, 'score')]
  })
  return (
    <>
      <Facts title="Detections" note="in the period’s messages" facts={detections} />
      <Facts
        title="Labels"
        note="with their scores, over the period"
        facts={[...labels, ['Rating', rating !== null && `${rating} of 5`, '']]}
      />
    </>
  )
}

type Fact = readonly [title: string, value: ComponentChildren, note: ComponentChildren]

const Facts = ({ title, note, facts }: { title: string; note: string; facts: readonly Fact[] }) => (
  <section>
    <h3>
      {title} <span class="faint">{note}</span>
    </h3>
    <Pairs
      rows={facts.map(([name, value, about]) => [
        name,
        <>
          {value || nullText} <span class="faint">{about}</span>
        </>,
      ])}
    />
  </section>
)

interface EffectsProps extends ChartsProps {
  readonly eventless: Numbers | undefined
  readonly products: Schema<'Catalogue'>['products']
  /** The model's products that have events, with their quality indexes. */
  readonly productIndexes: Schema<'Quality'>['products']
  readonly quality: Schema<'Quality'>
}

export function EventEffects({ products, productIndexes, quality, ...comparison }: EffectsProps) {
  const [product] = products
  const ids = new Set(productIndexes.flatMap(({ eventIds }) => eventIds))
  return (
    <section class="wide event-effects stack">
      <h3>
        Effect of events <span class="faint">weight {quality.weight}</span>
      </h3>
      {!product && <p class="faint">No product in the fixtures uses this model, so events do not affect it.</p>}
      {product && productIndexes.length === 0 && (
        <>
          <p class="faint">
            No events for {products.map(({ name }) => name).join(' or ')} yet. Send one to change the conversation
            quality on the day of the event.
          </p>
          <CommandLine text={formatCurl(eventRequest({ productId: product.id }))} />
        </>
      )}
      {productIndexes.length > 0 && (
        <>
          <p>{describeEffect(comparison)}</p>
          <QualityTable
            products={productIndexes}
            conversations={quality.conversations.filter(({ eventIds }) => eventIds.some((id) => ids.has(id)))}
          />
        </>
      )}
    </section>
  )
}

function describeEffect({ numbers, eventless, baseline }: Pick<EffectsProps, 'numbers' | 'eventless' | 'baseline'>) {
  if (!eventless) return 'Loading the numbers without events…'
  if (!baseline) return 'Effect unknown: without events, more than just the quality differs, perhaps due to a rule.'
  const changedDayCount = numbers.days.filter((day, index) => readNumber(day, qualityField) !== baseline[index]).length
  const [actual, baselineScore] = [readNumber(numbers.body, qualityField), readNumber(eventless.body, qualityField)]
  if (changedDayCount === 0)
    return 'Events have no effect. One possible reason is that no day in the period has both events and conversations.'
  const extent = `Events changed the quality on ${changedDayCount} of ${numbers.days.length} days.`
  if (actual === null || baselineScore === null) return extent
  const change = `${formatScore(baselineScore)} without events (difference: ${formatSigned(actual - baselineScore)})`
  return `Conversation quality is ${formatScore(actual)} on average and would be ${change}. ${extent}`
}
