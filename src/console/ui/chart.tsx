import type { Signal } from '@preact/signals'

type Values = readonly (number | null)[]

interface ChartProps {
  readonly title: string
  readonly unit: string
  readonly kind: 'line' | 'bar'
  readonly days: readonly string[]
  readonly values: Values
  readonly baseline: Values | undefined
  readonly format: (value: number) => string
  /** A summary of the whole period, shown while no day is selected: `avg 0.65`. */
  readonly summary: string
  /** The index of the selected day. Charts with the same signal share a selection. */
  readonly cursor: Signal<number | undefined>
}

/**
 * A chart of daily values. The pointer and the arrow keys select a day. The SVG is a 100-by-100 square, stretched to
 * fill its container, so drawing it does not depend on the container's size.
 */
export function Chart({ title, unit, kind, days, values, baseline, format, summary, cursor }: ChartProps) {
  const count = days.length
  const [min, max] = findRange([...values, ...(baseline ?? [])], kind)
  const xOf = (index: number) => round(((index + 0.5) / count) * 100)
  const yOf = (value: number) => round(100 - ((value - min) / (max - min)) * 100)
  const draw = (all: Values, toPath: (x: number, y: number, index: number) => string) =>
    all.map((value, index) => (value === null ? '' : toPath(xOf(index), yOf(value), index))).join('')
  const line = (all: Values) => draw(all, (x, y, index) => `${all[index - 1] == null ? 'M' : 'L'}${x} ${y}`)
  const ticks = [min, (min + max) / 2, max].filter((tick) => kind === 'line' || Number.isInteger(tick))
  const labeled = days.flatMap((day, index) => (isLabeled(new Date(day), index, count) ? [index] : []))
  const formatValue = (value: number | null | undefined) => (value == null ? 'no data' : format(value))
  const selected = cursor.value
  const at = Math.min(selected ?? count - 1, count - 1)
  const valueText = formatValue(values[at]) + (baseline ? `, without events ${formatValue(baseline[at])}` : '')
  const knownCount = values.filter((value) => value !== null).length
  const isAlone = (index: number) => values[index - 1] == null && values[index + 1] == null
  const dots = draw(values, (x, y, index) => (index === selected || isAlone(index) ? `M${x} ${y}h.01` : ''))
  const width = 100 / count
  const bars = draw(values, (x, y) => `M${x - width * 0.35} 100V${y}h${width * 0.7}V100z`)
  const gaps = values
    .map((value, index) => (value === null ? `M${index * width} 0h${width}v100h-${width}z` : ''))
    .join('')
  return (
    <figure class="chart">
      <figcaption class="wraps">
        <b>{title}</b> <span class="faint">{unit}</span>
        {baseline && <span class="warn">dashed: without events</span>}
        {knownCount < count && <span class="faint">shaded: no data</span>}
        <span class="chart-reading last">{selected === undefined ? summary : <strong>{valueText}</strong>}</span>
      </figcaption>
      <div class="chart-scale small" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ top: `${yOf(tick)}%` }}>
            {format(tick)}
          </span>
        ))}
      </div>
      <div class="chart-plot">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" {...drawing}>
          <path class="chart-gap" d={gaps} fill="var(--raised)" stroke="none" />
          <path d={ticks.map((tick) => `M0 ${yOf(tick)}h100`).join('')} />
          <path d={labeled.map((index) => `M${xOf(index)} 0v100`).join('')} />
          {kind === 'bar' && <path d={bars} fill="var(--accent)" stroke="none" />}
          {selected !== undefined && <path d={`M${xOf(at)} 0v100`} stroke="var(--faint)" />}
          {baseline && (
            <path class="chart-line" d={line(baseline)} {...curve} stroke="var(--warn)" stroke-dasharray="4 4" />
          )}
          {kind === 'line' && <path class="chart-line" d={line(values)} {...curve} />}
          {kind === 'line' && <path d={dots} {...curve} stroke-width={7} />}
        </svg>
        <input
          type="range"
          aria-label={`${title}, ${unit}: data for ${knownCount} of ${count} days. The arrow keys select a day.`}
          aria-valuetext={`${formatDay(days[at])}: ${valueText}`}
          min={0}
          max={count - 1}
          value={at}
          onInput={({ currentTarget }) => (cursor.value = currentTarget.valueAsNumber)}
          onPointerMove={({ currentTarget, offsetX }) => {
            cursor.value = Math.max(0, Math.min(count - 1, Math.floor((offsetX / currentTarget.offsetWidth) * count)))
          }}
          onFocus={() => (cursor.value ??= count - 1)}
          onPointerLeave={() => (cursor.value = undefined)}
          onBlur={() => (cursor.value = undefined)}
        />
      </div>
      <div class="chart-days small" aria-hidden="true">
        {selected === undefined ? (
          labeled.map((index) => (
            <span key={index} style={{ left: `min(${xOf(index)}%, 100% - 20px)` }}>
              {formatDay(days[index], { day: 'numeric', month: 'short' })}
            </span>
          ))
        ) : (
          <b style={{ left: `clamp(40px, ${xOf(at)}%, calc(100% - 40px))` }}>{formatDay(days[at])}</b>
        )}
      </div>
    </figure>
  )
}

const drawing = { fill: 'none', stroke: 'var(--line)', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' } as const
const curve = { stroke: 'var(--accent)', 'stroke-width': 1.75 }

const round = (value: number) => Math.round(value * 100) / 100

/** Returns the bounds of the vertical axis: round numbers that enclose the values. A bar chart's axis begins at 0. */
function findRange(values: Values, kind: ChartProps['kind']): readonly [number, number] {
  const known = values.filter((value) => value !== null)
  const [least, most] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 1]
  const step = kind === 'line' ? 0.2 : 10 ** Math.floor(Math.log10(Math.max(1, most)))
  const min = kind === 'line' ? Math.floor(least / step) * step : 0
  return [min, Math.max(min + step, Math.ceil(most / step) * step)]
}

/** Returns true if a day has a label: depending on `count`, every second day, each Monday or the first of a month. */
function isLabeled(day: Date, index: number, count: number): boolean {
  if (count <= 10) return (count - 1 - index) % 2 === 0
  return count <= 45 ? day.getUTCDay() === 1 : day.getUTCDate() === 1
}

const fullDate = { weekday: 'short', year: 'numeric', day: 'numeric', month: 'short' } as const

/** Formats a day, by default as `Thu, 15 Jan 2026`. Leaves other text unchanged. */
function formatDay(day = '', parts: Intl.DateTimeFormatOptions = fullDate): string {
  const date = new Date(day)
  return Number.isNaN(date.getTime()) ? day : date.toLocaleDateString('en-GB', { ...parts, timeZone: 'UTC' })
}
