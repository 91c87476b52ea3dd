import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Chart } from '../../ui/chart.tsx'
import { DataTable } from '../../ui/table.tsx'
import {
  detectionFields,
  type Figures,
  findScoreRange,
  formatMeasure,
  labelFields,
  type Measure,
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
        measures.map((measure) => (
          <MeasureChart key={measure.field} {...{ measure, figures, before, cursor }} />
        ))
      )}
      <Detections figures={figures} />
      <Labels figures={figures} />
      {children}
    </div>
  )
}

interface MeasureChartProps extends Pick<ChartsProps, 'figures' | 'before'> {
  readonly measure: Measure
  readonly cursor: Signal<number | undefined>
}

function MeasureChart({ measure: { field, title, unit, kind }, figures, before, cursor }: MeasureChartProps) {
  const total = numberOf(figures.body, field)
  const isQuality = field === qualityField
  const points = pointsOf(figures, field)
  const compared = (isQuality && before) || []
  const summary =
    kind === 'count' ? `${total?.toLocaleString('en')} in ${figures.days.length} days` : `avg ${total}`
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
        hasTable={false}
      />
    </div>
  )
}

/** The days in a table, for those who cannot see charts, and for those who want the numbers. */
function DayTable({ figures, before }: Pick<ChartsProps, 'figures' | 'before'>) {
  const format = (value: number | null | undefined, kind?: Measure['kind']) =>
    value == null ? (
      <span class="faint">null</span>
    ) : kind === 'count' ? (
      value.toLocaleString('en')
    ) : (
      value.toFixed(4)
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
    <section class="day-table" aria-label="Days" tabIndex={0}>
      <DataTable
        title="The figures of each day"
        rows={figures.days.map((day, index) => ({ day, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { title: 'Day', class: 'nowrap', cell: ({ day }) => textOf(day, 'date').slice(0, 10) },
          ...measures.map(({ field, title, kind }) => ({
            title,
            isNumber: true,
            cell: ({ day }: { day: Figures['days'][number] }) => format(numberOf(day, field), kind),
          })),
          ...(before
            ? [
                {
                  title: 'Quality without events',
                  isNumber: true,
                  cell: ({ index }: { index: number }) => format(before[index]),
                },
              ]
            : []),
        ]}
      />
    </section>
  )
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
              <dd>{found ? textOf(found, 'label').replaceAll('_', ' ') : <span class="faint">null</span>}</dd>
              <dd class="faint">{numberOf(found, 'score')}</dd>
            </div>
          )
        })}
        <div>
          <dt>Rating</dt>
          <dd>{rating === null ? <span class="faint">null</span> : `${rating} of 5`}</dd>
          <dd />
        </div>
      </dl>
    </section>
  )
}
