import { dayOf, nameOfDay } from '../../base/core/instant.ts'
import { LruCache } from '../../base/core/memoize.ts'
import { uuidKey } from '../clone.ts'
import { ImpactIndex, type ImpactSum } from '../memory/impact.ts'
import type { DayImpact, ImpactQuery } from '../records.ts'
import type { Store } from '../store.ts'
import { SUM_IMPACT } from './lua/record-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of sums that are read by their names; more are read with all others. */
const MAX_NAMED_SUMS = 1000

/** Returns the name of the sum of a product and a day. */
export const impactField = (product: string | null, day: string) => JSON.stringify([day, product])

/** Creates the sums. What was read before needs no round trip if the head was just read and is the same. */
export function createImpact(scripts: SandboxScripts): Store['eventImpact'] {
  /** The sums by sandbox and query, each with a state that they are not older than. */
  const all = new LruCache<{ state?: string | undefined; days: ReadonlyMap<string, DayImpact> }>(200)
  return async (sandbox, query) => {
    const state = scripts.freshHead(sandbox)?.state
    if (state === '' || query.productIds.length === 0) return new Map() // the sandbox has no data
    const known = all.get(`${sandbox} ${JSON.stringify(query)}`, () => ({ days: new Map() }))
    if (state && known.state === state) return known.days
    const sums = (await scripts.run(SUM_IMPACT, sandbox, listFields(query))) as string[][] // the script returns lists
    const index = new ImpactIndex()
    for (const sum of sums) index.add(parseSum(sum))
    return Object.assign(known, { state, days: index.query(query) }).days
  }
}

/** Lists the names of the sums to read; empty if all must be read. */
function listFields({ productIds, from, to }: ImpactQuery): readonly string[] {
  const first = dayOf(Date.parse(from ?? ''))
  const length = dayOf(Date.parse(to ?? '')) - first + 1
  const products = [...new Set(productIds.map(uuidKey))]
  if (!(length >= 0 && length * products.length <= MAX_NAMED_SUMS)) return [] // also where a bound is no day
  const days = Array.from({ length }, (_, offset) => nameOfDay(first + offset))
  return products.flatMap((product) => days.map((day) => impactField(product, day)))
}

function parseSum([field = '', units, events]: readonly string[]): ImpactSum {
  const [day, product]: [string, string | null] = JSON.parse(field) // of `impactField`
  return { product, day, units: Number(units), events: Number(events) }
}
