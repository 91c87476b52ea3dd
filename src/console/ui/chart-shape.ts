/** A point of a chart. */
export interface ChartPoint {
  /** The place on the horizontal axis: `2026-01-15`. */
  readonly label: string
  /** Null: there is no value, and the line has a gap. */
  readonly value: number | null
}

/** A second row of values, which is drawn dashed. */
export interface ChartComparison {
  /** `without events`. */
  readonly title: string
  /** A value for each point. */
  readonly values: readonly (number | null)[]
}

/** The values between which a chart is drawn. */
export interface ChartRange {
  readonly min: number
  readonly max: number
}

/** Returns the range of values that are not below 0: from 0 to a round number above the largest. */
export function findRange(values: readonly (number | null)[]): ChartRange {
  return { min: 0, max: roundUp(Math.max(0, ...values.map((value) => value ?? 0))) || 1 }
}

function roundUp(value: number): number {
  if (value === 0) return 0
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 3, 4, 5, 6, 8].find((factor) => factor * unit >= value) ?? 10) * unit
}

/** Returns the values that the vertical axis names: both ends and the middle. Counts have no middle that is no whole number. */
export function findValueTicks({ min, max }: ChartRange, points: readonly ChartPoint[]): readonly number[] {
  const middle = (min + max) / 2
  const isCount = points.every(({ value }) => Number.isInteger(value))
  return isCount && !Number.isInteger(middle) ? [min, max] : [min, middle, max]
}

/** Returns the path of a line in a square of 100 by 100. A point between two gaps is a dot: a stroke of next to no length with round ends. */
export function linePath(values: readonly (number | null)[], range: ChartRange): string {
  let isDrawing = false
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false
        return ''
      }
      const place = `${xOf(index, values.length)} ${yOf(value, range)}`
      const command = isDrawing ? `L${place}` : `M${place}h.01`
      isDrawing = true
      return command
    })
    .join('')
}

/** Returns the path that covers the points without a value, each over the whole height. */
export function gapPath(points: readonly ChartPoint[]): string {
  const width = round(100 / points.length)
  return points
    .map(({ value }, index) =>
      value === null ? `M${round(index * (100 / points.length))} 0h${width}v100h-${width}z` : '',
    )
    .join('')
}

/** Returns the horizontal place of a point, in the middle of its share of the width. */
export function xOf(index: number, count: number): number {
  return round(((index + 0.5) / count) * 100)
}

/** Returns the vertical place of a value; 0 is the top. */
export function yOf(value: number, { min, max }: ChartRange): number {
  return round(100 - ((value - min) / (max - min)) * 100)
}

const round = (value: number) => Math.round(value * 100) / 100
