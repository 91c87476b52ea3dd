import { type ImpactSum, sumDays } from '../memory/impact.ts'
import type { DayImpact, ImpactQuery } from '../records.ts'
import type { RedisReply } from './connection.ts'
import { SUM_IMPACT } from './lua/record-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

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
  const [open, events, quality, sums] = await scripts.run(SUM_IMPACT, sandbox)
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
