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
  /** The text that all calls share that nothing on the wire tells apart; that of a call of its own is its name. */
  readonly kind: string
  readonly isEvent: boolean
  /** No equal call is concurrent, and retries are counted or have no `insertId`, so its duplicates are found. */
  readonly isProvable: boolean
  readonly countsRetries: boolean
}

/** The log of a client and the evidence about it. */
export interface Hearing {
  readonly calls: readonly KnownCall[]
  /** The log of the client, in the order in which the tries were sent. */
  readonly log: readonly LoggedTry[]
  /** The tries that the service received. */
  readonly received: ReadonlySet<string>
  /** The findings of `GET /retries`, which tracks the journal again. */
  readonly accusations: readonly Accusation[]
  /** The findings of `GET /manners`, which judges each exchange as it ends, by rule. */
  readonly rules: readonly { readonly rule: RetryRule; readonly count: number }[]
  /** The tries whose answer was planned to come as the client gives up. */
  readonly closeCalls: ReadonlySet<string>
  /**
   * True where client or simulator stood still: neither measures short pauses, a retry may arrive before its failed try
   * ends, the timer of a client may end a try whose head has arrived, but was not read yet, and calls that only their
   * time tells apart may be read one after another, as retries are.
   */
  readonly hasStalled: boolean
}

/** The judgement of the evidence. */
export interface Verdict {
  /** Accusations that the log does not bear out. */
  readonly unfounded: readonly string[]
  /** Duplicates after a lost or failed try that the evidence does not name. */
  readonly missed: readonly string[]
  readonly duplicates: number
  /** Duplicates that the evidence does not promise to find. */
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
  /** True where the simulator may have sent a head that the client, which stood still, did not read in time. */
  readonly mayBeUnread: boolean
}

/** Clocks and timers of two processes differ by so much, milliseconds. */
const slackMs = 8

/** Holds the evidence to the log. Of calls that nothing on the wire tells apart the numbers count, not the names. */
export function judgeEvidence(hearing: Hearing): Verdict {
  const { calls, log, received, hasStalled } = hearing
  const retries = calls.flatMap((call) => listRetries(call, log, hasStalled))
  const duplicates = retries.filter((one) => isDuplicate(one) && isReceived(one, received))
  const promised = hasStalled ? [] : duplicates.filter((one) => isPromised(one, retries, hearing))
  const accusations = hearing.accusations.filter(({ rule }) => !(hasStalled && rule === 'back-off'))
  const found = new Set(accusations.filter(({ rule }) => rule === 'same-insert-id').map(({ accused }) => accused))
  const callOf = (name: string) => calls.find((one) => name.startsWith(`${one.name}#`))
  const told = calls.filter((call) => !(hasStalled && hasOnlyTime(call)))
  const unfounded = [...new Set(told.map(({ kind }) => kind))].flatMap((kind) => {
    const against = accusations.filter(({ accused }) => callOf(accused)?.kind === kind)
    return listUnfounded(against, ofKind(retries, kind), kind)
  })
  return {
    unfounded: [...unfounded, ...listExcess(hearing, retries)],
    missed: promised.map(({ name }) => name).filter((name) => !found.has(name)),
    duplicates: promised.length,
    undecidable: duplicates.length - promised.length,
  }
}

/** Returns true for one of several equal calls that nothing but their time tells apart. */
const hasOnlyTime = ({ kind, name, countsRetries }: KnownCall) => kind !== name && !countsRetries

/** Returns true where docs/evidence.md promises that the duplicate is found. */
function isPromised(retry: Retry, retries: readonly Retry[], { closeCalls }: Hearing): boolean {
  const { call, before } = retry
  if (!call.isProvable || isAtOnce(retry) || closeCalls.has(`${before.call}#${before.number}`)) return false
  if (call.countsRetries) return true
  const earlier = retries.filter((one) => one.call === call && one.latest.number <= before.number)
  if (earlier.some(mayBeParallel)) return false
  return before.status === undefined || (outcomeOf(before) === 'failed' && !mayBeParallel(retry))
}

const isAtOnce = ({ before, latest }: Retry) => latest.sentAt - before.endedAt < 10 + slackMs

/** Returns true where the retry of a try whose head arrived may look like an equal call under way at the same time. */
function mayBeParallel(retry: Retry): boolean {
  return retry.before.status !== undefined && (isAtOnce(retry) || retry.latest.mayBeOverSpare)
}

const ofKind = (retries: readonly Retry[], kind: string) => retries.filter(({ call }) => call.kind === kind)

function listRetries(call: KnownCall, log: readonly LoggedTry[], hasStalled: boolean): readonly Retry[] {
  const tries = log.filter((one) => one.call === call.name)
  let pauses: readonly number[] = []
  return tries.slice(1).map((latest, index) => {
    const before = tries[index] as LoggedTry // one less than `latest`
    if (before.retryAfterMs === undefined) pauses = [...pauses, waitOf(before, latest)]
    const mayBeUnread = hasStalled && before.status === undefined && before.end === 'timed out'
    return { name: `${call.name}#${latest.number}`, call, before, latest, pauses, mayBeUnread }
  })
}

/** Returns the wait from the moment at which the client knew that it had failed. */
function waitOf(before: LoggedTry, latest: LoggedTry): number {
  return latest.sentAt - (outcomeOf(before) === 'failed' ? (before.headAt ?? before.endedAt) : before.endedAt)
}

/** Returns true where an event that may have been stored is sent again so that the service cannot know it. */
function isDuplicate({ call, before, latest }: Retry): boolean {
  const mayBeStored = outcomeOf(before) === 'lost' || (outcomeOf(before) === 'failed' && before.status !== 429)
  return call.isEvent && mayBeStored && (latest.insertId === undefined || latest.insertId !== before.insertId)
}

/** Returns true where both tries reached the service. */
const isReceived = ({ call, before, name }: Retry, received: ReadonlySet<string>) =>
  received.has(name) && received.has(`${call.name}#${before.number}`)

/** Returns true where the log bears out that a retry broke a rule. */
function isGuilty(retry: Retry, rule: RetryRule): boolean {
  const { before, latest, pauses, mayBeUnread } = retry
  const wait = waitOf(before, latest)
  switch (rule) {
    case 'retry-after':
      return mayBeUnread || (before.retryAfterMs !== undefined && wait < before.retryAfterMs)
    case 'back-off':
      return before.retryAfterMs === undefined && (wait < 10 + slackMs || isEverLess(pauses))
    case 'same-insert-id':
      return isDuplicate(retry)
    case 'no-retry':
      return (mayBeUnread || outcomeOf(before) === 'refused') && before.body === latest.body
  }
}

/** Returns true where the last two waits were each below half of the one before. */
function isEverLess(pauses: readonly number[]): boolean {
  const [first, second, third] = pauses.slice(-3)
  if (first === undefined || second === undefined || third === undefined) return false
  return second < first / 2 + slackMs && third < second / 2 + slackMs
}

function listUnfounded(accusations: readonly Accusation[], retries: readonly Retry[], kind: string): readonly string[] {
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

/** Lists the rules that `GET /manners` says were broken more often than the log bears out. */
function listExcess({ rules, calls, log, hasStalled }: Hearing, retries: readonly Retry[]): readonly string[] {
  const untold = calls.filter((call) => hasStalled && hasOnlyTime(call)).map(({ name }) => name)
  const mayBeAny = log.filter(({ call }) => untold.includes(call)).length
  return [...new Set(rules.map(({ rule }) => rule))].flatMap((rule) => {
    const count = rules.filter((one) => one.rule === rule).reduce((sum, one) => sum + one.count, 0)
    const guilty = retries
      .filter(({ call }) => !untold.includes(call.name))
      .filter((retry) => isGuilty(retry, rule)).length
    return count <= guilty + mayBeAny || (hasStalled && rule === 'back-off')
      ? []
      : [`manners: ${rule} ${count} times, not ${guilty}`]
  })
}
