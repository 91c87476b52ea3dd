import { type LoggedTry, outcomeOf } from './try-log.ts'

/** The rules of manners about retries. */
export type RetryRule = 'retry-after' | 'back-off' | 'same-insert-id' | 'no-retry'

/** A finding of the simulator about a try. */
export interface Accusation {
  readonly rule: RetryRule
  readonly sentence: string
  /** `2.0#1`: the second try of the call 2.0. */
  readonly accused: string
}

/** A call as the oracle knows it. */
export interface KnownCall {
  readonly name: string
  /** A text that is the same for all calls that nothing on the wire tells apart; that of a call of its own is its name. */
  readonly kind: string
  readonly isEvent: boolean
  /**
   * True: its duplicates cannot be told from new calls, since the client neither counts its retries nor keeps its ids, and sends equal
   * events in parallel.
   */
  readonly isUndecidable: boolean
  /**
   * True: the client sends equal calls in parallel and does not count its retries, so that a retry after a 5xx may as well be a call that
   * waited for a free connection. A retry after a lost answer is still a duplicate.
   */
  readonly isQueueLike: boolean
  readonly countsRetries: boolean
}

/** The log of a client and the evidence about it. */
export interface Hearing {
  readonly calls: readonly KnownCall[]
  /** The log of the client, in the order in which the tries were sent. */
  readonly log: readonly LoggedTry[]
  /** The tries that the service received. */
  readonly received: ReadonlySet<string>
  readonly accusations: readonly Accusation[]
}

/** The judgement of the evidence. */
export interface Verdict {
  /** Accusations that the log does not bear out. */
  readonly unfounded: readonly string[]
  /** Duplicates after a lost or failed try that the evidence does not name. */
  readonly missed: readonly string[]
  readonly duplicates: number
  /** Duplicates that nobody can tell from new calls. */
  readonly undecidable: number
}

/** A try with the one before it. */
interface Retry {
  readonly name: string
  readonly call: KnownCall
  readonly before: LoggedTry
  readonly latest: LoggedTry
  /** The pauses of the call up to this retry, without those after a demanded wait. */
  readonly pauses: readonly number[]
}

/** Clocks and timers of two processes differ by so much, milliseconds. */
const slackMs = 8

/** Holds the evidence to the log. Of calls that nothing on the wire tells apart the numbers count, not the names. */
export function judgeEvidence({ calls, log, received, accusations }: Hearing): Verdict {
  const retries = calls.flatMap((call) => listRetries(call, log))
  const duplicates = retries.filter((one) => isDuplicate(one) && isReceived(one, received))
  const kinds = [...new Set(calls.map(({ kind }) => kind))]
  const atOnce = retries.filter(({ before, latest }) => latest.sentAt - before.endedAt < 10 + slackMs)
  const recognisable = duplicates.filter((one) => isDecidable(one, atOnce) && !looksLikeTwin(one, retries))
  const decidable = kinds.flatMap((kind) => withoutExcused(ofKind(recognisable, kind), ofKind(retries, kind)))
  const callOf = (name: string) => calls.find((one) => name.startsWith(`${one.name}#`))
  return {
    unfounded: kinds.flatMap((kind) => {
      const against = accusations.filter(({ accused }) => callOf(accused)?.kind === kind)
      return listUnfounded(against, ofKind(retries, kind), kind)
    }),
    missed: kinds.flatMap((kind) => {
      const found = accusations.filter(
        (one) => one.rule === 'same-insert-id' && callOf(one.accused)?.kind === kind,
      )
      return listMissed(ofKind(decidable, kind), found, kind)
    }),
    duplicates: decidable.length,
    undecidable: duplicates.length - decidable.length,
  }
}

const ofKind = (retries: readonly Retry[], kind: string) => retries.filter(({ call }) => call.kind === kind)

function listRetries(call: KnownCall, log: readonly LoggedTry[]): readonly Retry[] {
  const tries = log.filter((one) => one.call === call.name)
  let pauses: readonly number[] = []
  return tries.slice(1).map((latest, index) => {
    const before = tries[index] as LoggedTry // one less than `latest`
    if (before.retryAfterMs === undefined) pauses = [...pauses, waitOf(before, latest)]
    return { name: `${call.name}#${latest.number}`, call, before, latest, pauses }
  })
}

/** Returns the wait from the moment at which the client knew that it had failed. */
function waitOf(before: LoggedTry, latest: LoggedTry): number {
  return latest.sentAt - (outcomeOf(before) === 'failed' ? (before.headAt ?? before.endedAt) : before.endedAt)
}

/** Returns true where an event that may have been stored is sent again so that the service cannot know it. */
function isDuplicate({ call, before, latest }: Retry): boolean {
  const mayBeStored =
    outcomeOf(before) === 'lost' || (outcomeOf(before) === 'failed' && before.status !== 429)
  return call.isEvent && mayBeStored && (latest.insertId === undefined || latest.insertId !== before.insertId)
}

/** Returns true where the duplicate can be told from a new call. */
function isDecidable(retry: Retry, atOnce: readonly Retry[]): boolean {
  const { call, before } = retry
  const isLost = outcomeOf(before) === 'lost'
  if (call.isUndecidable || (call.isQueueLike && !isLost)) return false
  const equal = atOnce.filter((one) => one.call.kind === call.kind)
  // The service sees the end of a body that is cancelled after a retry that comes at once.
  if (equal.some((one) => one.before.end === 'cancelled')) return false
  // One retry of equal calls that is not recognised leaves its failed try to another one.
  if (equal.some(looksParallel)) return false
  return isLost || !looksParallel(retry)
}

/** Returns true where a retry may look like a request that was sent before the failed try ended, and was read late. */
const looksParallel = ({ call, latest }: Retry) => !call.countsRetries && latest.mayBeOverSpare

/**
 * Returns true where an earlier retry of the call looks like another event that was sent together with its failed try. With an `insertId`
 * of its own, this retry may then be a third such event; without one, after a failed try, the retry of that other event.
 */
function looksLikeTwin({ call, before, latest }: Retry, retries: readonly Retry[]): boolean {
  if (latest.insertId === undefined && outcomeOf(before) === 'lost') return false
  const earlier = retries.filter((one) => one.call === call && one.latest.number < latest.number)
  return earlier.some((one) => outcomeOf(one.before) !== 'lost' && looksParallel(one))
}

/**
 * Returns the duplicates without those that a polite client of equal calls would have sent, too. Where nothing but the time tells its calls
 * apart, a retry of a failed try looks like a new call if it looks parallel, comes before the end of a demanded wait, or ends after the
 * duplicate. A duplicate after that wait then looks like the retry of that failed try.
 */
function withoutExcused(duplicates: readonly Retry[], retries: readonly Retry[]): readonly Retry[] {
  const afterFailed = retries.filter(({ call, before }) => call.isQueueLike && outcomeOf(before) === 'failed')
  return afterFailed.reduce((left, retry) => {
    const { before, latest } = retry
    const due = (before.headAt ?? before.endedAt) + (before.retryAfterMs ?? 0)
    const looksNew = looksParallel(retry) || isGuilty(retry, 'retry-after')
    const excused = left.find((one) => {
      return one.latest.sentAt >= due && (looksNew || one.latest.endedAt < latest.endedAt)
    })
    return left.filter((one) => one !== excused)
  }, duplicates)
}

/** Returns true where both tries reached the service. */
const isReceived = ({ call, before, name }: Retry, received: ReadonlySet<string>) =>
  received.has(name) && received.has(`${call.name}#${before.number}`)

/** Returns true where the log bears out that a retry broke a rule. */
function isGuilty(retry: Retry, rule: RetryRule): boolean {
  const { before, latest, pauses } = retry
  const wait = waitOf(before, latest)
  switch (rule) {
    case 'retry-after':
      return before.retryAfterMs !== undefined && wait < before.retryAfterMs
    case 'back-off':
      return before.retryAfterMs === undefined && (wait < 10 + slackMs || isEverLess(pauses))
    case 'same-insert-id':
      return isDuplicate(retry)
    case 'no-retry':
      return outcomeOf(before) === 'refused' && before.insertId === latest.insertId
  }
}

/** Returns true where the last two waits were each below half of the one before. */
function isEverLess(pauses: readonly number[]): boolean {
  const [first, second, third] = pauses.slice(-3)
  if (first === undefined || second === undefined || third === undefined) return false
  return second < first / 2 + slackMs && third < second / 2 + slackMs
}

function listUnfounded(
  accusations: readonly Accusation[],
  retries: readonly Retry[],
  kind: string,
): readonly string[] {
  const isAlone = new Set(retries.map(({ call }) => call.name)).size < 2 && !kind.startsWith('equal')
  if (isAlone)
    return accusations.flatMap(({ rule, sentence, accused }) => {
      const retry = retries.find(({ name }) => name === accused)
      return retry && isGuilty(retry, rule) ? [] : [`${accused}: ${sentence}`]
    })
  const rules = [...new Set(accusations.map(({ rule }) => rule))]
  return rules.flatMap((rule) => {
    const against = accusations.filter((one) => one.rule === rule)
    const guilty = retries.filter((retry) => isGuilty(retry, rule)).length
    if (against.length <= guilty) return []
    const named = against.map(({ accused, sentence }) => `${accused}: ${sentence}`).join('; ')
    return [`${against.length - guilty} of ${against.length} against ${kind}: ${named}`]
  })
}

function listMissed(
  duplicates: readonly Retry[],
  found: readonly Accusation[],
  kind: string,
): readonly string[] {
  if (!kind.startsWith('equal'))
    return duplicates.flatMap(({ name }) => (found.some(({ accused }) => accused === name) ? [] : [name]))
  return duplicates.length <= found.length
    ? []
    : [`${duplicates.length - found.length} of ${duplicates.length} of ${kind}`]
}
