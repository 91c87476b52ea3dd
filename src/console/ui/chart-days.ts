/** A place on the horizontal axis that is named: the index of a point, and its name. */
export interface DayTick {
  readonly index: number
  readonly text: string
}

/** The most days of which every second one is named, and the most of which the Mondays are; of more days, the first of each month is. */
const [maxForDays, maxForWeeks] = [10, 45]

/** Returns the days that the horizontal axis names. Labels that are no days are not named. */
export function findDayTicks(labels: readonly string[]): readonly DayTick[] {
  const last = labels.length - 1
  return labels.flatMap((label, index) => {
    const date = new Date(label)
    const isNamed =
      labels.length <= maxForDays
        ? (last - index) % 2 === 0
        : labels.length <= maxForWeeks
          ? date.getUTCDay() === 1
          : date.getUTCDate() === 1
    return isNamed && !Number.isNaN(date.getTime()) ? [{ index, text: formatDay(label, dayAndMonth) }] : []
  })
}

const dayAndMonth = { day: 'numeric', month: 'short' } as const

const wholeDay = { weekday: 'short', year: 'numeric', ...dayAndMonth } as const

/** Formats a day as `Thu, 15 Jan 2026`; any other label stays as it is. */
export function formatDay(label: string, parts: Intl.DateTimeFormatOptions = wholeDay): string {
  const date = new Date(label)
  return Number.isNaN(date.getTime()) ? label : date.toLocaleDateString('en-GB', { ...parts, timeZone: 'UTC' })
}
