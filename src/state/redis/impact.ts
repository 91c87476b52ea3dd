import { LruCache } from '../../core/lru-cache.ts'
import { dayOf, nameOfDay } from '../../core/utc-day.ts'
import { uuidKey } from '../clone.ts'
import { type ImpactSum, sumDays } from '../memory/impact.ts'
import type { DayImpact, ImpactQuery } from '../records.ts'
import type { RedisReply } from './connection.ts'
import { SUM_IMPACT } from './lua/record-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of fields that are read by their names; more are read with all others. */
const MAX_NAMED_FIELDS = 2000

/** Returns the name of the sum of a product and a day. */
export const impactField = (product: string | null, day: string) => JSON.stringify([day, product])

/** Returns the name of the number of events beside the sum. */
const eventCountField = (field: string) => `events of ${field}`

/** Sums impact. What was read before needs no round trip if the head was just read and is the same. */
export class RedisImpact {
  readonly #scripts: SandboxScripts
  /** The sums by sandbox and query, each with the state that it is of. */
  readonly #known = new LruCache<{ state: string; days: ReadonlyMap<string, DayImpact> }>(200)

  constructor(scripts: SandboxScripts) {
    this.#scripts = scripts
  }

  async sum(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>> {
    const known = this.#known.get(`${sandbox} ${JSON.stringify(query)}`, () => ({ state: '', days: new Map() }))
    if (known.state === this.#scripts.freshHead(sandbox)?.state) return known.days
    const fields = listSumFields(query)
    const [generation, events, quality, sums] = await this.#scripts.run(SUM_IMPACT, sandbox, fields ?? [])
    known.state = this.#scripts.nameState(generation, events)
    known.days = sumDays(readSums(fields, sums as readonly RedisReply[]), query) // the script returns a list
    this.#scripts.offerHead(sandbox, { state: known.state, quality: String(quality) })
    return known.days
  }
}

/** Returns the fields to read, or undefined if all must be read. */
function listSumFields({ productIds, from, to }: ImpactQuery): readonly string[] | undefined {
  const first = dayOf(Date.parse(from ?? ''))
  const length = dayOf(Date.parse(to ?? '')) - first + 1
  const products = [...new Set(productIds.map(uuidKey))]
  if (!(length * products.length * 2 <= MAX_NAMED_FIELDS)) return undefined // also where a bound is no day
  const days = Array.from({ length: Math.max(0, length) }, (_, offset) => nameOfDay(first + offset))
  const fields = products.flatMap((product) => days.map((day) => impactField(product, day)))
  return fields.length === 0 ? [impactField(null, '')] : fields.flatMap((field) => [field, eventCountField(field)])
}

/** Reads the values of fields, or else fields and values in turn, as sums. */
function* readSums(fields: readonly string[] | undefined, reply: readonly RedisReply[]): Generator<ImpactSum> {
  const pairs = (_: unknown, index: number) => [String(reply[2 * index]), reply[2 * index + 1]] as const
  const values = new Map(
    fields?.map((field, index) => [field, reply[index]] as const) ?? Array.from({ length: reply.length / 2 }, pairs),
  )
  for (const [field, units] of values) {
    const events = values.get(eventCountField(field))
    if (typeof units !== 'string' || typeof events !== 'string') continue // none, or a number of events
    const [day, product]: [string, string | null] = JSON.parse(field) // of `impactField`
    yield { product, day, units: Number(units), events: Number(events) }
  }
}
