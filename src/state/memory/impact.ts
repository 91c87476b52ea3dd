import { uuidKey } from '../clone.ts'
import type { DayImpact, ImpactQuery, StoredEvent } from '../records.ts'

/** The impact of the events of a product on a UTC day, without those that sampling dropped. */
export interface ImpactSum {
  readonly product: string | null
  readonly day: string
  /** The impact in thousand-millionths: sums of whole numbers are the same in any order, sums of fractions are not. */
  readonly units: number
  readonly events: number
}

export const UNITS_PER_IMPACT = 1e9

export function impactOfEvent({ fields: { productId, eventAt }, impact }: StoredEvent): ImpactSum {
  const day = eventAt.slice(0, eventAt.indexOf('T'))
  return { product: uuidKey(productId), day, units: Math.round(impact * UNITS_PER_IMPACT), events: 1 }
}

export class ImpactIndex {
  readonly #products = new Map<string | null, Map<string, ImpactSum>>()

  copy(): ImpactIndex {
    const copy = new ImpactIndex()
    for (const [product, days] of this.#products) copy.#products.set(product, new Map(days))
    return copy
  }

  add(sum: ImpactSum): void {
    const days = this.#products.get(sum.product) ?? new Map<string, ImpactSum>()
    this.#products.set(sum.product, days)
    addSum(days, sum)
  }

  *list(): Generator<ImpactSum> {
    for (const days of this.#products.values()) yield* days.values()
  }

  /** Sums per day over the products of the query. Days without events are left out; the earliest day is first. */
  query({ productIds, from, to }: ImpactQuery): ReadonlyMap<string, DayImpact> {
    const found = new Map<string, ImpactSum>()
    for (const product of new Set(productIds.map(uuidKey))) {
      const sums = this.#products.get(product)?.values() ?? []
      for (const sum of sums) if (sum.day >= from && sum.day <= to) addSum(found, sum)
    }
    const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return new Map(inOrder.map(([day, { units, events }]) => [day, { impact: units / UNITS_PER_IMPACT, events }]))
  }
}

function addSum(days: Map<string, ImpactSum>, sum: ImpactSum): void {
  const { units = 0, events = 0 } = days.get(sum.day) ?? {}
  days.set(sum.day, { ...sum, units: sum.units + units, events: sum.events + events })
}
