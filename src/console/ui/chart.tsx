import { useSignal } from '@preact/signals'
import { type ChartPoint, type ChartRange, findRange, linePath, xOf, yOf } from './chart-shape.ts'
import { DataTable } from './table.tsx'

/** Properties of `Chart`. */
export interface ChartProps {
  readonly title: string
  readonly kind: 'line' | 'bar'
  readonly points: readonly ChartPoint[]
  /** The range of the vertical axis; default: from 0 to a round number above the largest value. */
  readonly range?: ChartRange
  /** Formats a value; default: as it is. */
  readonly format?: (value: number) => string
}

/**
 * A chart of one row of values over time. The arrow keys and the pointer read single values; a table has them all. It is drawn in a square that
 * stretches to the place it gets, so nothing is measured.
 */
export function Chart({ title, kind, points, range, format = String }: ChartProps) {
  const read = useSignal<number | undefined>(undefined)
  const isTable = useSignal(false)
  const drawn = range ?? findRange(points)
  const current = read.value === undefined ? undefined : points[read.value]
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b>
        <output class="faint">{current && formatPoint(current, format)}</output>
        <button
          type="button"
          class="quiet"
          aria-pressed={isTable.value}
          onClick={() => (isTable.value = !isTable.value)}
        >
          Table<span class="hidden"> of {title}</span>
        </button>
      </figcaption>
      {isTable.value ? (
        <div class="chart-table">
          <DataTable
            title={title}
            columns={[
              { title: 'Day', cell: ({ label }: ChartPoint) => label },
              {
                title,
                isNumber: true,
                cell: ({ value }: ChartPoint) => (value === null ? 'no data' : format(value)),
              },
            ]}
            rows={points}
            keyOf={({ label }) => label}
          />
        </div>
      ) : (
        <Drawing title={title} kind={kind} points={points} range={drawn} format={format} read={read} />
      )}
    </figure>
  )
}

interface DrawingProps extends Required<ChartProps> {
  readonly read: { value: number | undefined }
}

function Drawing({ title, kind, points, range, format, read }: DrawingProps) {
  const at = read.value ?? points.length - 1
  const reading = points[at] ? formatPoint(points[at], format) : undefined
  const known = points.filter(({ value }) => value !== null).length
  const readAt = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    read.value = clamp(Math.floor(((event.clientX - left) / width) * points.length), points.length)
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    read.value = clamp((read.value ?? (step > 0 ? -1 : points.length)) + step, points.length)
  }
  return (
    <div class="chart-area">
      <div class="chart-scale" aria-hidden="true">
        <span>{format(range.max)}</span>
        <span>{format(range.min)}</span>
      </div>
      <div
        class="chart-plot"
        role="slider"
        aria-label={`${title}: ${known} of ${points.length} days have data. The arrow keys read the values.`}
        aria-valuemin={0}
        aria-valuemax={points.length - 1}
        aria-valuenow={at}
        aria-valuetext={reading}
        tabIndex={0}
        onKeyDown={move}
        onPointerMove={readAt}
        onPointerLeave={() => (read.value = undefined)}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {kind === 'line' ? (
            <path class="chart-line" d={linePath(points, range)} />
          ) : (
            points.map(({ label, value }, index) => (
              <Bar key={label} {...{ value, index, range, count: points.length }} />
            ))
          )}
          {read.value !== undefined && (
            <path class="chart-cursor" d={`M${xOf(read.value, points.length)} 0v100`} />
          )}
        </svg>
      </div>
      <div class="chart-days" aria-hidden="true">
        <span>{points[0]?.label}</span>
        <span>{points.at(-1)?.label}</span>
      </div>
    </div>
  )
}

interface BarProps {
  readonly value: number | null
  readonly index: number
  readonly count: number
  readonly range: ChartRange
}

function Bar({ value, index, count, range }: BarProps) {
  if (value === null) return null
  const width = (100 / count) * 0.7
  const [top, bottom] = [yOf(Math.max(0, value), range), yOf(Math.min(0, value), range)]
  return (
    <rect class="chart-bar" x={xOf(index, count) - width / 2} y={top} width={width} height={bottom - top} />
  )
}

const formatPoint = ({ label, value }: ChartPoint, format: (value: number) => string) =>
  `${label}: ${value === null ? 'no data' : format(value)}`

const clamp = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))
