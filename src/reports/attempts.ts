import type { JournalEntry } from '../journal/entry.ts'
import type { CallKey } from './call-key.ts'
import type { MannersRule } from './manners-rules.ts'

/** One request of a chain, with how it ended. */
export interface Attempt {
  /** The request's id. */
  readonly id: string
  /** The machine's time of receipt, epoch milliseconds. */
  readonly at: number
  /** The machine's time at which the answer was sent, or was lost. */
  readonly end: number
  /** The sandbox's time of receipt. */
  readonly now: number
  readonly outcome: 'fine' | 'lost' | 'failed' | 'refused'
  readonly status: number
  /** What `Retry-After` or `retry-after-ms` asked for, milliseconds. */
  readonly askedMs: number | undefined
  readonly insertId: string | undefined
}

/** A call that failed, until it succeeds. */
export interface RetryChain {
  /** The chain's first request, so that its findings are told apart from others'. */
  readonly name: string
  readonly last: Attempt
  /** How long the client waited before its latest retries, milliseconds; those that a `Retry-After` ruled are not among them. */
  readonly pauses: readonly number[]
}

/** Clocks and timers are not exact: so much less than was asked is still enough, milliseconds. */
const tolerance = 20

/** Who asks again within this time has not waited at all, milliseconds. */
const atOnce = 10

/** Who asks again so much later than was asked for has begun anew, milliseconds. */
const later = 60_000

/** After these the same request can only fail again. */
const final = [400, 401, 403, 404]

/** Damage after which the client has no answer that it could use. */
const losing = ['reset', 'empty', 'hang', 'truncated', 'malformed']

/** Whether how the client goes on after this answer is judged. */
export function isJudged(entry: JournalEntry): boolean {
  return outcomeOf(entry) !== 'fine'
}

function outcomeOf({ damage, answer: { status } }: JournalEntry): Attempt['outcome'] {
  if (damage.some((one) => losing.includes(one))) return 'lost'
  if (status === 429 || status >= 500) return 'failed'
  return final.includes(status) ? 'refused' : 'fine'
}

export function attemptOf(entry: JournalEntry, { insertId }: CallKey): Attempt {
  const { id, at, now, durationMs, delayMs, answer } = entry
  const outcome = outcomeOf(entry)
  const asked = outcome === 'failed' && [429, 503].includes(answer.status)
  return {
    id,
    at,
    // `at` is cut to whole milliseconds, and so is that of what comes next: a fraction here would put this answer behind it.
    end: Math.floor(at + durationMs + delayMs),
    now,
    outcome,
    status: answer.status,
    askedMs: asked ? askedBy(answer.headers) : undefined,
    insertId,
  }
}

/** The shorter of the two that the answer gives: seconds are rounded up. */
function askedBy(headers: Readonly<Record<string, string>>): number | undefined {
  const waits = Object.entries(headers).flatMap(([name, value]) => {
    const factor = { 'retry-after': 1000, 'retry-after-ms': 1 }[name.toLowerCase()]
    return factor !== undefined && /^\d+$/.test(value) ? [Number(value) * factor] : []
  })
  return waits.length > 0 ? Math.min(...waits) : undefined
}

/** One thing that was not polite about a retry. */
export interface RetryFault {
  readonly rule: MannersRule
  readonly sentence: string
  readonly waitedMs: number | undefined
}

/** Whether whoever comes at this time, by the machine, has begun anew. */
export function isOver({ last }: RetryChain, at: number): boolean {
  return at - last.end > (last.askedMs ?? 0) + later
}

/** What is to be said of a request as a retry of the chain, and the pauses from there on. */
export function judgeRetry(
  chain: RetryChain,
  latest: Attempt,
  isIdempotent: boolean,
): { readonly pauses: readonly number[]; readonly rude: readonly RetryFault[] } {
  const { last } = chain
  const waited = pauseBetween(last, latest)
  if (waited > (last.askedMs ?? 0) + later) return { pauses: [], rude: [] }
  if (last.outcome === 'refused') return { pauses: [], rude: refusedAgain(last, latest) }
  const ruled = last.askedMs !== undefined
  const pauses = ruled ? chain.pauses : [...chain.pauses, waited].slice(-3)
  const rude = [
    ruled ? tooEarly(last, waited) : notBackedOff(last, waited, pauses),
    isIdempotent ? otherId(last, latest) : undefined,
  ]
  return { pauses, rude: rude.filter((one) => one !== undefined) }
}

/** In the machine's time; where the sandbox's clock was moved on meanwhile, in the sandbox's time if that is longer. */
function pauseBetween(last: Attempt, latest: Attempt): number {
  const real = latest.at - last.end
  const moved = latest.now - last.now
  return moved - (latest.at - last.at) > tolerance ? Math.max(real, moved) : real
}

function refusedAgain(last: Attempt, latest: Attempt): RetryFault[] {
  if (last.insertId !== latest.insertId) return []
  const sentence = `A request that was refused with ${last.status} was sent again unchanged.`
  return [{ rule: 'no-retry', sentence, waitedMs: undefined }]
}

function tooEarly({ askedMs = 0, status }: Attempt, waited: number): RetryFault | undefined {
  if (waited >= askedMs - tolerance) return undefined
  const sentence = `A ${status} asked to wait for ${askedMs / 1000} s, and the client came back earlier.`
  return { rule: 'retry-after', sentence, waitedMs: Math.round(waited) }
}

/**
 * A client that tries again at once hammers; after a lost connection it may do so once, since connections that were kept open
 * break for no reason. One that waits twice in a row for less time than before does not back off; once can be chance (jitter).
 */
function notBackedOff(last: Attempt, waited: number, pauses: readonly number[]): RetryFault | undefined {
  const after = last.outcome === 'lost' ? 'a lost answer' : `a ${last.status}`
  const mayHurry = last.outcome === 'lost' && pauses.length === 1
  if (waited < atOnce && !mayHurry) {
    const sentence = `After ${after} the client tried again at once.`
    return { rule: 'back-off', sentence, waitedMs: Math.round(waited) }
  }
  const shrinks = (index: number) => (pauses[index] ?? 0) + tolerance < (pauses[index - 1] ?? 0)
  if (pauses.length < 3 || !shrinks(1) || !shrinks(2)) return undefined
  const sentence = `After ${after} the client waited for ever less time before it tried again.`
  return { rule: 'back-off', sentence, waitedMs: Math.round(waited) }
}

function otherId(last: Attempt, latest: Attempt): RetryFault | undefined {
  if (latest.insertId !== undefined && last.insertId === latest.insertId) return undefined
  const how = latest.insertId === undefined ? 'without an insertId' : 'with another insertId'
  const after = last.outcome === 'lost' ? 'whose answer was lost' : `that was answered with ${last.status}`
  const sentence = `An event ${after} was sent again ${how}: it may be counted twice.`
  return { rule: 'same-insert-id', sentence, waitedMs: undefined }
}
