import type { Signal } from '@preact/signals'
import { findDayTicks, formatDay } from './chart-days.ts'
import {
  type ChartComparison,
  type ChartPoint,
  type ChartRange,
  findValueTicks,
  gapPath,
  linePath,
  xOf,
  yOf,
} from './chart-shape.ts'

/** Properties of `ChartPlot`. */
export interface ChartPlotProps {
  /** The name for those who cannot see it. */
  readonly name: string
  readonly kind: 'line' | 'bar'
  readonly points: readonly ChartPoint[]
  readonly range: ChartRange
  readonly comparison: ChartComparison | undefined
  readonly format: (value: number) => string
  /** The index of the point that is read; undefined: none. */
  readonly read: Signal<number | undefined>
  /** Formats the value of a point, with the one that it is compared to. */
  readonly formatReading: (index: number) => string
}

/** The drawing of a chart with its axes. It is a slider for the keyboard and for those who cannot see it. */
export function ChartPlot(props: ChartPlotProps) {
  const { name, points, range, format, read, formatReading } = props
  const ticks = findValueTicks(range, points)
  const days = findDayTicks(points.map((point) => point.label))
  const at = Math.min(read.value ?? points.length - 1, points.length - 1)
  const label = points[at]?.label ?? ''
  return (
    <div class="chart-area">
      <div class="chart-scale" aria-hidden="true">
        <span class="chart-widest">{format(range.max)}</span>
        {ticks.map((tick) => (
          <span key={tick} style={{ top: `${yOf(tick, range)}%` }}>
            {format(tick)}
          </span>
        ))}
      </div>
      <div
        class="chart-plot"
        role="slider"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={points.length - 1}
        aria-valuenow={at}
        aria-valuetext={`${formatDay(label)}: ${formatReading(at)}`}
        tabIndex={0}
        {...readingEvents(read, points.length)}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path class="chart-gap" d={gapPath(points)} />
          <path
            class="chart-grid"
            d={
              ticks.map((tick) => `M0 ${yOf(tick, range)}h100`).join('') +
              days.map(({ index }) => `M${xOf(index, points.length)} 0v100`).join('')
            }
          />
          <Values {...props} />
        </svg>
      </div>
      <div class="chart-days" aria-hidden="true">
        {days.map(({ index, text }) => (
          <span key={text} style={{ left: `${xOf(index, points.length)}%` }}>
            {text}
          </span>
        ))}
        {read.value !== undefined && (
          <b style={{ left: `clamp(40px, ${xOf(at, points.length)}%, calc(100% - 40px))` }}>{formatDay(label)}</b>
        )}
      </div>
    </div>
  )
}

/** Returns the listeners by which the pointer and the keyboard move the cursor. */
function readingEvents(read: Signal<number | undefined>, count: number) {
  const readAt = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    read.value = clamp(Math.floor(((event.clientX - left) / width) * count), count)
  }
  const leave = () => {
    read.value = undefined
  }
  return {
    onPointerMove: readAt,
    onPointerDown: readAt,
    onPointerLeave: leave,
    onBlur: leave,
    onFocus: () => (read.value ??= count - 1),
    onKeyDown: (event: KeyboardEvent) => {
      const step = steps[event.key]
      if (step === undefined) return
      event.preventDefault()
      read.value = clamp((read.value ?? count - 1) + step, count)
    },
  }
}

/** The days by which a key moves the cursor. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -7,
  PageUp: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

function Values({ kind, points, range, comparison, read }: ChartPlotProps) {
  if (kind === 'bar')
    return (
      <>
        {points.map(({ label, value }, index) => (
          <Bar key={label} {...{ value, index, range, count: points.length, isRead: read.value === index }} />
        ))}
      </>
    )
  const values = points.map(({ value }) => value)
  return (
    <>
      {read.value !== undefined && <path class="chart-cursor" d={`M${xOf(read.value, points.length)} 0v100`} />}
      {comparison && <path class="chart-line compared" d={linePath(comparison.values, range)} />}
      <path class="chart-line" d={linePath(values, range)} />
      <path class="chart-dot" d={dotPath(points, range, read.value)} />
    </>
  )
}

/** The most points that are drawn as dots. */
const maxDots = 10

/** Returns the path of dots: of all points where they are few, of those between two gaps, and of the one that is read. */
function dotPath(points: readonly ChartPoint[], range: ChartRange, read: number | undefined): string {
  return points
    .map(({ value }, index) =>
      value !== null && (index === read || points.length <= maxDots || isAlone(points, index))
        ? `M${xOf(index, points.length)} ${yOf(value, range)}h.01`
        : '',
    )
    .join('')
}

const isAlone = (points: readonly ChartPoint[], index: number) =>
  points[index - 1]?.value == null && points[index + 1]?.value == null

interface BarProps {
  readonly value: number | null
  readonly index: number
  readonly count: number
  readonly range: ChartRange
  readonly isRead: boolean
}

function Bar({ value, index, count, range, isRead }: BarProps) {
  if (value === null) return null
  const width = (100 / count) * 0.7
  const top = yOf(value, range)
  return (
    <rect
      class={isRead ? 'chart-bar read' : 'chart-bar'}
      x={xOf(index, count) - width / 2}
      y={top}
      width={width}
      height={100 - top}
    />
  )
}

const clamp = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))
