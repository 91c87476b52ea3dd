import { dayOf, nameOfDay } from '../../core/utc-day.ts'
import { cloneJson, deepFreeze, uuidKey } from '../clone.ts'
import { createEvent, insertKey, payloadDiffers } from '../events.ts'
import { type ImpactSum, impactOfEvent, sumDays } from '../memory/impact.ts'
import { createPrompt, createVersion, externalKey, type PromptHead } from '../prompts.ts'
import type { DayImpact, EventDraft, ImpactQuery, PromptDraft, StoredEvent, WriteContext } from '../records.ts'
import type { EventReceipt, PromptReceipt } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { RECORD_EVENT, SUM_IMPACT } from './lua/event-scripts.ts'
import { ADD_VERSION } from './lua/prompt-scripts.ts'
import { readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of fields that are summed by their names; more are read with all others. */
const MAX_NAMED_FIELDS = 2000

/** The sums of a query, and the state of the sandbox that they are of. */
export interface KnownImpact {
  state: string
  days: ReadonlyMap<string, DayImpact>
}

/** Does what `Store.recordEvent` describes. */
export async function recordEvent(
  scripts: SandboxScripts,
  context: WriteContext,
  given: EventDraft,
): Promise<EventReceipt> {
  const { sandbox } = context
  const draft = cloneJson(given)
  const create = (count: number) => createEvent(context, draft, { get: () => count })
  const first = create(0)
  if (insertKey(draft) === undefined) {
    // The id depends on the number of earlier equal payloads.
    const name = `event ${sandbox} ${first.eventId}`
    const [, count] = await scripts.offer(RECORD_EVENT, sandbox, name, (from, size) => {
      const candidates = Array.from({ length: size }, (_, index) => create(from + index))
      return recordArguments(candidates, from)
    })
    return { event: create(Number(count)), replayed: false, payloadDiffers: false }
  }
  const reply = await scripts.write(RECORD_EVENT, sandbox, recordArguments([first], 0))
  const [outcome, text, replays] = reply
  if (outcome === 'stored') return { event: first, replayed: false, payloadDiffers: false }
  const event: StoredEvent = { ...readJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
  return { event, replayed: true, payloadDiffers: payloadDiffers(event, draft) }
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
  const head = scripts.heads.get(sandbox)
  if (head !== undefined && known.state === `${head.open} ${head.events}`) return known.days
  const reply = await scripts.run(SUM_IMPACT, sandbox, findFields(query))
  const [open = '', events = '', quality = ''] = reply.slice(0, 3).map(String)
  known.state = `${open} ${events}`
  known.days = sumDays(readSums(reply.slice(3)), query)
  scripts.heads.set(sandbox, { open, events, quality })
  return known.days
}

/** Returns the arguments of `RECORD_EVENT`. The candidates differ in `eventId`, `repeatOf` and `sampledOut`. */
function recordArguments(candidates: readonly StoredEvent[], count: number): readonly string[] {
  const [event] = candidates
  if (event === undefined) throw new Error('there is no event to record')
  const { fields, impact, receivedAt, replays, eventAtDefaulted } = event
  const { product, day, units } = impactOfEvent(event)
  const key = insertKey(fields)
  const middle = JSON.stringify({ fields, impact }).slice(1, -1)
  const rest = JSON.stringify({ receivedAt, replays, ...(eventAtDefaulted && { eventAtDefaulted }) }).slice(1)
  return [
    key === undefined ? '' : JSON.stringify(key),
    event.repeatOf ?? event.eventId,
    String(count),
    impactField(product, day),
    units.toFixed(0),
    `${middle},"sampledOut":`,
    `,${rest}`,
    ...candidates.flatMap(({ eventId, repeatOf, sampledOut }) => [
      `${JSON.stringify({ eventId, repeatOf }).slice(0, -1)},`,
      String(sampledOut),
    ]),
  ]
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

/** Does what `Store.addPromptVersion` describes. */
export async function addPromptVersion(
  scripts: SandboxScripts,
  context: WriteContext,
  given: PromptDraft,
): Promise<PromptReceipt> {
  const { sandbox } = context
  const draft = cloneJson(given)
  const key = externalKey(draft)
  const first = createPrompt(context, draft, { get: () => 0 }).promptId
  let record = ''
  /** Creates the version for a number of stored versions of the prompt, or else of prompts from the same request. */
  const create = (count: number) => {
    const known: PromptHead | undefined = record === '' ? undefined : readJson(sandbox, 'prompts', record)
    const prompt = known ?? createPrompt(context, draft, { get: () => count })
    const version = createVersion(context, draft, prompt.promptId, key === undefined ? 0 : count)
    return { prompt, version: deepFreeze(version) }
  }
  const name = `prompt ${sandbox} ${key ?? first}`
  const [, count] = await scripts.offer(ADD_VERSION, sandbox, name, (from, size, known) => {
    record = known
    const candidates = Array.from({ length: size }, (_, index) => create(from + index))
    const texts = candidates.flatMap(({ prompt, version }) => [
      prompt.promptId,
      JSON.stringify(prompt),
      version.versionId,
      JSON.stringify(version),
    ])
    return [key ?? '', key === undefined ? first : '', from, ...texts]
  })
  const { prompt, version } = create(Number(count))
  return { promptId: prompt.promptId, version }
}
