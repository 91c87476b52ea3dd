import { dayOf, nameOfDay } from '../../core/utc-day.ts'
import { uuidKey } from '../clone.ts'
import { type ImpactSum, sumDays } from '../memory/impact.ts'
import type { DayImpact, ImpactQuery } from '../records.ts'
import type { RedisReply } from './connection.ts'
import { SUM_IMPACT } from './lua/record-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of fields that are summed by their names; more are read with all others. */
const MAX_NAMED_FIELDS = 2000

/** The sums of a query, and the state of the sandbox that they are of. */
export interface KnownImpact {
  state: string
  days: ReadonlyMap<string, DayImpact>
}

/**
 * Sums the impact per day. `known`: the sums that were read before, which need no round trip if the head was just read
 * and is the same.
 */
export async function sumImpact(
  scripts: SandboxScripts,
  sandbox: string,
  query: ImpactQuery,
  known: KnownImpact,
): Promise<ReadonlyMap<string, DayImpact>> {
  const head = scripts.freshHead(sandbox)
  if (head !== undefined && known.state === `${head.open} ${head.events}`) return known.days
  const [open, events, quality, sums] = await scripts.run(SUM_IMPACT, sandbox, findFields(query))
  const read = { open: String(open), events: String(events), quality: String(quality) }
  known.state = `${read.open} ${read.events}`
  known.days = sumDays(readSums(sums as RedisReply[]), query) // the script returns a list
  scripts.offerHead(sandbox, read)
  return known.days
}

/** Returns the name of the sum of a product and a day. */
export const impactField = (product: string | null, day: string) => JSON.stringify([day, product])

/** Returns the name of the number of events beside the sum. */
export const eventCountField = (field: string) => `events of ${field}`

/** Returns the fields to sum. None: all must be read. */
function findFields({ productIds, from, to }: ImpactQuery): readonly string[] {
  const first = dayOf(Date.parse(from ?? ''))
  const length = dayOf(Date.parse(to ?? '')) - first + 1
  const products = [...new Set(productIds.map(uuidKey))]
  if (!(length * products.length * 2 <= MAX_NAMED_FIELDS)) return [] // also where a bound is no day
  const days = Array.from({ length: Math.max(0, length) }, (_, offset) => nameOfDay(first + offset))
  const fields = products.flatMap((product) => days.map((day) => impactField(product, day)))
  return fields.length === 0 ? [impactField(null, '')] : fields.flatMap((field) => [field, eventCountField(field)])
}

/** Reads fields and numbers in turn as sums. */
function* readSums(reply: readonly RedisReply[]): Generator<ImpactSum> {
  const numbers = new Map<string, number>()
  for (let at = 0; at < reply.length; at += 2) numbers.set(String(reply[at]), Number(reply[at + 1]))
  for (const [field, units] of numbers) {
    const events = numbers.get(eventCountField(field))
    if (events === undefined) continue // a number of events
    const [day, product]: [string, string | null] = JSON.parse(field) // of `impactField`
    yield { product, day, units, events }
  }
}
