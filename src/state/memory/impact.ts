import { dayOf, nameOfDay } from '../../core/utc-day.ts'
import { uuidKey } from '../clone.ts'
import type { DayImpact, ImpactQuery } from '../store.ts'
import type { EventMark } from './mark.ts'

interface Sum {
  /** In thousand-millionths: whole numbers add up to the same in any order, fractions do not. */
  units: number
  events: number
}

const UNITS = 1e9

/** Per product and UTC day, the sum of what its kept events weigh; kept up to date with every event. */
export class ImpactIndex {
  readonly #days = new Map<string | null, Map<string, Sum>>()

  /** Takes an event in, or out again. */
  change({ sampledOut, productKey, day, impact }: EventMark, sign: 1 | -1): void {
    if (sampledOut) return
    const days = this.#days.get(productKey) ?? new Map<string, Sum>()
    this.#days.set(productKey, days)
    const sum = days.get(day) ?? { units: 0, events: 0 }
    days.set(day, sum)
    sum.units += sign * Math.round(impact * UNITS)
    sum.events += sign
    if (sum.events === 0) days.delete(day)
  }

  /** Days with events, earliest first. */
  query({ productIds, from, to }: ImpactQuery): ReadonlyMap<string, DayImpact> {
    if (this.#days.size === 0) return nothing // as in most sandboxes
    const found = new Map<string, Sum>()
    for (const product of new Set(productIds.map(uuidKey))) {
      const days = this.#days.get(product)
      if (days === undefined) continue
      for (const [day, { units, events }] of within(days, from, to)) {
        const sum = found.get(day) ?? { units: 0, events: 0 }
        found.set(day, { units: sum.units + units, events: sum.events + events })
      }
    }
    if (found.size === 0) return nothing
    const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return new Map(inOrder.map(([day, { units, events }]) => [day, { impact: units / UNITS, events }]))
  }
}

const nothing: ReadonlyMap<string, DayImpact> = new Map()

/** Sorts behind every day. */
const BEYOND = '~'

/** Those of the days that are within the bounds; asks for each of a short period rather than going over all there are. */
function* within(days: ReadonlyMap<string, Sum>, from = '', to = BEYOND): Generator<[string, Sum]> {
  const wanted = daysBetween(from, to)
  if (wanted < days.size) yield* pick(days, from, wanted)
  else for (const [day, sum] of days) if (day >= from && day <= to) yield [day, sum]
}

function* pick(days: ReadonlyMap<string, Sum>, from: string, count: number): Generator<[string, Sum]> {
  const first = dayOf(Date.parse(from))
  for (let ahead = 0; ahead < count; ahead += 1) {
    const day = nameOfDay(first + ahead)
    const sum = days.get(day)
    if (sum !== undefined) yield [day, sum]
  }
}

/** How many days there are from one to the other, both counted; NaN where one of them is no day. */
function daysBetween(from: string, to: string): number {
  return dayOf(Date.parse(to)) - dayOf(Date.parse(from)) + 1
}
