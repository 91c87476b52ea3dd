import { dayOf, nameOfDay } from '../../core/utc-day.ts'
import { uuidKey } from '../clone.ts'
import type { DayImpact, ImpactQuery, StoredEvent } from '../records.ts'

interface Sum {
  /** The impact in thousand-millionths: sums of whole numbers are the same in any order, sums of fractions are not. */
  units: number
  events: number
}

const UNITS_PER_IMPACT = 1e9

/** The sums of impact per product and UTC day, updated with every event. */
export class ImpactIndex {
  readonly #days = new Map<string | null, Map<string, Sum>>()

  copy(): ImpactIndex {
    const copy = new ImpactIndex()
    for (const [product, days] of this.#days)
      copy.#days.set(product, new Map(Array.from(days, ([day, sum]) => [day, { ...sum }])))
    return copy
  }

  /** Adds an event to its day's sum. An event that sampling dropped has no effect. */
  add({ sampledOut, fields, impact }: StoredEvent): void {
    if (sampledOut) return
    const productKey = uuidKey(fields.productId)
    const day = fields.eventAt.slice(0, fields.eventAt.indexOf('T'))
    const days = this.#days.get(productKey) ?? new Map<string, Sum>()
    this.#days.set(productKey, days)
    const sum = days.get(day) ?? { units: 0, events: 0 }
    days.set(day, sum)
    sum.units += Math.round(impact * UNITS_PER_IMPACT)
    sum.events += 1
  }

  /** Sums the impact per day over the products. Days without events are left out; the earliest day is first. */
  query({ productIds, from, to }: ImpactQuery): ReadonlyMap<string, DayImpact> {
    if (this.#days.size === 0) return NO_DAYS // as in most sandboxes
    const found = new Map<string, Sum>()
    for (const product of new Set(productIds.map(uuidKey))) {
      const days = this.#days.get(product)
      if (days === undefined) continue
      for (const [day, { units, events }] of daysBetween(days, from, to)) {
        const sum = found.get(day) ?? { units: 0, events: 0 }
        found.set(day, { units: sum.units + units, events: sum.events + events })
      }
    }
    if (found.size === 0) return NO_DAYS
    const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return new Map(
      inOrder.map(([day, { units, events }]) => [day, { impact: units / UNITS_PER_IMPACT, events }]),
    )
  }
}

const NO_DAYS: ReadonlyMap<string, DayImpact> = new Map()

/** A text that sorts behind every day. */
const AFTER_ALL_DAYS = '~'

/** Yields the days within the bounds. A short period is looked up day by day, which is faster than scanning all days. */
function* daysBetween(
  days: ReadonlyMap<string, Sum>,
  from = '',
  to = AFTER_ALL_DAYS,
): Generator<[string, Sum]> {
  const length = countDays(from, to)
  if (length < days.size) yield* daysFrom(days, from, length)
  else for (const [day, sum] of days) if (day >= from && day <= to) yield [day, sum]
}

function* daysFrom(days: ReadonlyMap<string, Sum>, from: string, count: number): Generator<[string, Sum]> {
  const first = dayOf(Date.parse(from))
  for (let offset = 0; offset < count; offset += 1) {
    const day = nameOfDay(first + offset)
    const sum = days.get(day)
    if (sum !== undefined) yield [day, sum]
  }
}

/** Counts the days from `from` to `to`, both included. NaN: one of them is no day. */
function countDays(from: string, to: string): number {
  return dayOf(Date.parse(to)) - dayOf(Date.parse(from)) + 1
}
