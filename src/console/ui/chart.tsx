import { type Signal, useSignal } from '@preact/signals'
import { ChartPlot } from './chart-plot.tsx'
import { type ChartComparison, type ChartPoint, type ChartRange, findRange } from './chart-shape.ts'

/** Properties of `Chart`. */
export interface ChartProps {
  readonly title: string
  readonly kind: 'line' | 'bar'
  readonly points: readonly ChartPoint[]
  /** The unit of the values: `per day`. */
  readonly unit?: string
  /** The range of the vertical axis; default: from 0 to a round number above the largest value. */
  readonly range?: ChartRange
  /** Formats a value; default: as it is. */
  readonly format?: (value: number) => string
  /** The value of all points together, which is shown while no single one is read: `avg 0.65`. */
  readonly summary?: string
  readonly comparison?: ChartComparison | undefined
  /** The index of the point that is read. Charts with the same signal are read together. */
  readonly cursor?: Signal<number | undefined>
}

/**
 * A chart of one row of values over days. The pointer, the keyboard and screen readers read single values; the view has to offer them in a table,
 * too, one for all its charts. It is drawn in a square that stretches to the place it gets, so nothing is measured.
 */
export function Chart({ title, kind, points, unit, range, format = String, summary, comparison, cursor }: ChartProps) {
  const ownCursor = useSignal<number | undefined>(undefined)
  const missing = points.filter(({ value }) => value === null).length
  const formatValue = (value: number | null | undefined) => (value == null ? 'no data' : format(value))
  const formatReading = (index: number) =>
    formatValue(points[index]?.value) +
    (comparison ? `, ${comparison.title} ${formatValue(comparison.values[index])}` : '')
  const read = cursor ?? ownCursor
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b>
        {unit && <span class="faint">{unit}</span>}
        {comparison && <span class="chart-key">{comparison.title}</span>}
        {missing > 0 && <span class="chart-gap-key">no data</span>}
        <Reading {...{ read, formatReading, summary }} />
      </figcaption>
      <ChartPlot
        range={range ?? findRange([...points.map(({ value }) => value), ...(comparison?.values ?? [])])}
        name={`${title}${unit ? `, ${unit}` : ''}: ${points.length - missing} of ${points.length} days have data. The arrow keys read the values.`}
        {...{ kind, points, comparison, format, read, formatReading }}
      />
    </figure>
  )
}

interface ReadingProps {
  readonly read: Signal<number | undefined>
  readonly formatReading: (index: number) => string
  readonly summary: string | undefined
}

/** The value that is read. It alone is drawn anew with each step of the cursor, with the plot. */
function Reading({ read, formatReading, summary }: ReadingProps) {
  return (
    <span class="chart-reading">
      {read.value === undefined ? summary : <strong>{formatReading(read.value)}</strong>}
    </span>
  )
}
