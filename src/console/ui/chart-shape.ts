/** A point of a chart. */
export interface ChartPoint {
  /** The place on the horizontal axis: `2026-01-15`. */
  readonly label: string
  /** Null: there is no value, and the line has a gap. */
  readonly value: number | null
}

/** The values between which a chart is drawn. */
export interface ChartRange {
  readonly min: number
  readonly max: number
}

/** Returns the range of the values: from 0, or below it, to a round number above the largest. */
export function findRange(points: readonly ChartPoint[]): ChartRange {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  return { min: Math.min(0, ...values.map(roundDown)), max: roundUp(Math.max(0, ...values)) || 1 }
}

function roundUp(value: number): number {
  if (value === 0) return 0
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((factor) => factor * unit >= value) ?? 10) * unit
}

const roundDown = (value: number) => (value < 0 ? -roundUp(-value) : 0)

/** Returns the path of a line in a square of 100 by 100. A point between two gaps is a dot: a stroke of next to no length with round ends. */
export function linePath(points: readonly ChartPoint[], range: ChartRange): string {
  let isDrawing = false
  return points
    .map(({ value }, index) => {
      if (value === null) {
        isDrawing = false
        return ''
      }
      const place = `${xOf(index, points.length)} ${yOf(value, range)}`
      const command = isDrawing ? `L${place}` : `M${place}h.01`
      isDrawing = true
      return command
    })
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
