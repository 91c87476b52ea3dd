import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Chart } from '../../ui/chart.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DataTable } from '../../ui/table.tsx'
import {
  type ChartMeasure,
  detectionFields,
  type Figures,
  findScoreRange,
  formatMeasure,
  labelFields,
  measures,
  numberOf,
  pointsOf,
  qualityField,
  recordOf,
  textOf,
} from './figures.ts'

/** Properties of `Charts`. */
export interface ChartsProps {
  readonly figures: Figures
  /** The quality of each day without events; undefined: no events, or no honest comparison. */
  readonly before: readonly (number | null)[] | undefined
  readonly isTable: boolean
  readonly children: ComponentChildren
}

/** All figures of a period: charts that are read together, or one table of the days. */
export function Charts({ figures, before, isTable, children }: ChartsProps) {
  const cursor = useSignal<number | undefined>(undefined)
  return (
    <div class="figures">
      {isTable ? (
        <DayTable figures={figures} before={before} />
      ) : (
        measures.map((measure) => <MeasureChart key={measure.field} {...{ measure, figures, before, cursor }} />)
      )}
      <Detections figures={figures} />
      <Labels figures={figures} />
      {children}
    </div>
  )
}

interface MeasureChartProps extends Pick<ChartsProps, 'figures' | 'before'> {
  readonly measure: ChartMeasure
  readonly cursor: Signal<number | undefined>
}

function MeasureChart({ measure: { field, title, unit, kind }, figures, before, cursor }: MeasureChartProps) {
  const total = numberOf(figures.body, field)
  const isQuality = field === qualityField
  const points = pointsOf(figures, field)
  const compared = (isQuality && before) || []
  const summary = kind === 'count' ? `${total?.toLocaleString('en')} in ${figures.days.length} days` : `avg ${total}`
  return (
    <div class={isQuality ? 'figure wide' : 'figure'}>
      <Chart
        title={title}
        unit={unit}
        kind={kind === 'count' ? 'bar' : 'line'}
        points={points}
        {...(kind === 'score' && {
          range: findScoreRange([...points.map(({ value }) => value), ...compared]),
        })}
        format={(value) => formatMeasure(value, kind)}
        summary={total === null ? 'null' : summary}
        comparison={isQuality && before ? { title: 'without events', values: before } : undefined}
        cursor={cursor}
      />
    </div>
  )
}

/** The days in a table, for those who cannot see charts, and for those who want the numbers. */
function DayTable({ figures, before }: Pick<ChartsProps, 'figures' | 'before'>) {
  const rows = figures.days.map((day, index) => ({
    day: textOf(day, 'date').slice(0, 10),
    values: [...measures.map(({ field }) => numberOf(day, field)), ...(before ? [before[index] ?? null] : [])],
  }))
  const titles = [...measures.map(({ title }) => title), ...(before ? ['Without events'] : [])]
  const toCsv = () =>
    [['Day', ...titles], ...rows.map(({ day, values }) => [day, ...values])].map((cells) => cells.join()).join('\n')
  return (
    <section class="day-table" aria-label="Days">
      <DataTable
        title="The figures of each day"
        rows={rows}
        keyOf={({ day }) => day}
        columns={[
          { title: 'Day', class: 'nowrap', cell: ({ day }) => day },
          ...titles.map((title, index) => ({
            title,
            isNumber: true,
            cell: ({ values }: (typeof rows)[number]) => formatCell(values[index], measures[index]?.kind === 'count'),
          })),
        ]}
      />
      <CopyButton label="CSV" title="Copy as CSV" text={() => Promise.resolve(toCsv())} />
    </section>
  )
}

const nothing = <span class="faint">null</span>

function formatCell(value: number | null | undefined, isCount: boolean): ComponentChildren {
  if (value == null) return nothing
  return isCount ? value.toLocaleString('en') : value.toFixed(4)
}

/** The detections of the period. The service does not tell them by day. */
function Detections({ figures: { body, days } }: Pick<ChartsProps, 'figures'>) {
  const rows = Object.entries(detectionFields).map(([field, title]) => {
    const counted = recordOf(body[field])
    return { title, total: numberOf(counted, 'total'), percentage: numberOf(counted, 'percentage') }
  })
  const top = Math.max(1, ...rows.map(({ percentage }) => Math.ceil(percentage ?? 0)))
  return (
    <section class="figure">
      <h3>
        Detections{' '}
        <span class="faint">
          in {days.length} days; bars to {top} % of messages
        </span>
      </h3>
      <dl class="meters">
        {rows.map(({ title, total, percentage }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd class="meter" aria-hidden="true">
              <span style={{ width: `${((percentage ?? 0) / top) * 100}%` }} />
            </dd>
            {total === null ? (
              <dd class="faint">null</dd>
            ) : (
              <dd>
                {total.toLocaleString('en')} <span class="faint">{percentage} %</span>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The labelled scores of the period. */
function Labels({ figures: { body } }: Pick<ChartsProps, 'figures'>) {
  const rating = numberOf(body, 'averageConversationRating')
  return (
    <section class="figure">
      <h3>
        Labels <span class="faint">with their scores, over the period</span>
      </h3>
      <dl class="labels">
        {Object.entries(labelFields).map(([field, title]) => {
          const found = recordOf(body[field])
          return (
            <div key={field}>
              <dt>{title}</dt>
              <dd>{found ? textOf(found, 'label').replaceAll('_', ' ') : nothing}</dd>
              <dd class="faint">{numberOf(found, 'score')}</dd>
            </div>
          )
        })}
        <div>
          <dt>Rating</dt>
          <dd>{rating === null ? nothing : `${rating} of 5`}</dd>
          <dd />
        </div>
      </dl>
    </section>
  )
}
