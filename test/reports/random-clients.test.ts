import { expect, test } from 'vitest'
import { seededChance } from '../support/chance.ts'
import { createTracked, lost, type SampleAttempt } from './tracked-attempts.ts'

/** The number of clients for each seed; `npm run test:evidence` sets 20,000. */
const clients = Number(process.env['EVIDENCE_RUNS'] ?? 500)

/** A try of a call as the client knows it. */
interface Try extends SampleAttempt {
  readonly insertId: string | undefined
  readonly outcome: 'fine' | 'refused' | 'failed' | 'lost'
  /** The demanded wait, milliseconds; undefined if the answer demands none. */
  readonly demandedMs: number | undefined
  /** The time at which the client knows how the try ended. */
  readonly knownAt: number
}

interface Habits {
  readonly countsRetries: boolean
  readonly insertIds: 'kept' | 'changed' | 'none'
  readonly heedsRetryAfter: boolean
  readonly cancelsErrorBodies: boolean
  /** The client sends a refused request once more. */
  readonly insists: boolean
  readonly maxTries: number
  /** Returns the pause before the retry of this number, from 1, milliseconds. */
  readonly backOff: (retry: number) => number
}

/** Draws by chance what a client does. */
function createDice(seed: string) {
  const roll = seededChance(seed)
  const pick = <T>(...items: readonly [T, ...T[]]) => items[Math.floor(roll() * items.length)] as T // below the length
  return { roll, pick, isLucky: (share: number) => roll() < share }
}

type Dice = ReturnType<typeof createDice>

function drawHabits({ roll, pick, isLucky }: Dice): Habits {
  const growing = (retry: number) => Math.min(120 * 2 ** (retry - 1), 300)
  return {
    countsRetries: isLucky(0.6),
    insertIds: pick<Habits['insertIds']>('kept', 'changed', 'none'),
    heedsRetryAfter: isLucky(0.7),
    cancelsErrorBodies: isLucky(0.7),
    insists: isLucky(0.1),
    maxTries: pick(3, 4),
    backOff: pick<Habits['backOff']>(
      (retry) => growing(retry) * (1 - roll() / 4),
      () => 100 * (1 - roll() / 4),
      () => 60 + 300 * roll(),
      () => 0,
      (retry) => 900 / 3 ** (retry - 1),
    ),
  }
}

const timeoutMs = 500

/** The manner of a call: a steady one is neither refused nor given up, and the last try of it is `mustSucceed`. */
interface Manner {
  readonly isSteady: boolean
  readonly mustSucceed: boolean
}

/** Draws the answer to a try that begins at a time, or its loss. */
function drawAnswer({ pick, isLucky }: Dice, at: number, { cancelsErrorBodies }: Habits, manner: Manner) {
  const { isSteady, mustSucceed } = manner
  const takes = isSteady ? 70 : 5
  const fine = { at, takes, status: 201, outcome: 'fine', demandedMs: undefined, knownAt: at + takes } as const
  if (mustSucceed || isLucky(0.4)) return fine
  if (!isSteady && isLucky(0.08)) return { ...fine, status: pick(400, 403), outcome: 'refused' } as const
  if (isLucky(0.5)) {
    const lasts = pick(takes, timeoutMs)
    return { ...fine, ...lost, takes: lasts, hasLeft: true, outcome: 'lost', knownAt: at + lasts } as const
  }
  const demandedMs = pick(undefined, 1000)
  const status = demandedMs === undefined ? 500 : pick(429, 503)
  const headers = demandedMs === undefined ? {} : { 'retry-after': String(demandedMs / 1000) }
  const failed = { ...fine, status, headers, demandedMs, outcome: 'failed' } as const
  if (!isLucky(0.3)) return failed
  // The body of the error does not end, until the client has enough of it.
  const lasts = cancelsErrorBodies ? takes : timeoutMs
  return { ...failed, ...lost, takes: lasts, headSentAt: at + takes - 1, hasLeft: true, knownAt: at + lasts } as const
}

/** Returns what the client sends in the try of this number, from 0. */
function requestOf(name: string, number: number, { countsRetries, insertIds }: Habits) {
  const insertId = { kept: `id-${name}`, changed: `id-${name}-${number}`, none: undefined }[insertIds]
  const sent: Record<string, string> = countsRetries ? { 'retry-attempt': String(number) } : {}
  return { insertId, sent, body: { v: 1, ...(insertId !== undefined && { insertId }) } }
}

/** Makes a call with its retries. */
function makeCall(dice: Dice, name: string, begin: number, habits: Habits, isSteady: boolean): readonly Try[] {
  const { heedsRetryAfter, insists, maxTries, backOff } = habits
  const tries: Try[] = []
  let at = begin
  for (let number = 0; number < maxTries; number += 1) {
    const manner = { isSteady, mustSucceed: isSteady && number + 1 === maxTries }
    const answer = drawAnswer(dice, at, habits, manner)
    tries.push({ ...answer, ...requestOf(name, number, habits) })
    const refusals = tries.filter(({ outcome }) => outcome === 'refused').length
    if (answer.outcome === 'fine' || refusals > Number(insists)) return tries
    at = answer.knownAt + ((heedsRetryAfter ? answer.demandedMs : undefined) ?? backOff(number + 1))
  }
  return tries
}

/** A try with the one before it, and the pauses of the call up to it without those after a demanded wait. */
interface Retry {
  readonly before: Try
  readonly latest: Try
  readonly pauses: readonly number[]
}

function listRetries(tries: readonly Try[]): readonly Retry[] {
  let pauses: readonly number[] = []
  return tries.slice(1).map((latest, index) => {
    const before = tries[index] as Try // one less than `latest`
    if (before.demandedMs === undefined) pauses = [...pauses, waitOf({ before, latest })]
    return { before, latest, pauses }
  })
}

/** Returns the wait from the moment at which the client could know that the try had failed. */
const waitOf = ({ before, latest }: Pick<Retry, 'before' | 'latest'>) =>
  latest.at - (before.outcome === 'failed' ? (before.headSentAt ?? before.knownAt) : before.knownAt)

/** Returns true where an event that may have been stored is sent again so that the service cannot know it. */
function isDuplicate({ before, latest }: Retry): boolean {
  const mayBeStored = before.outcome === 'lost' || (before.outcome === 'failed' && before.status !== 429)
  return mayBeStored && (latest.insertId === undefined || latest.insertId !== before.insertId)
}

/** Returns true where the last two waits were each below half of the one before. */
function isEverLess(pauses: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = pauses.slice(-3)
  return pauses.length > 2 && second < first / 2 && third < second / 2
}

/** The breaches of each rule, as the client's own log bears them out. */
const breaches: Readonly<Record<string, (retry: Retry) => boolean>> = {
  'retry-after': (retry) => waitOf(retry) < (retry.before.demandedMs ?? 0),
  'back-off': (retry) => retry.before.demandedMs === undefined && (waitOf(retry) < 10 || isEverLess(retry.pauses)),
  'same-insert-id': isDuplicate,
  'no-retry': ({ before }) => before.outcome === 'refused',
}

test.each([1, 2])(
  'clients are accused of what their own logs bear out, and of each provable duplicate, with seed %i',
  (seed) => {
    const wrong: unknown[] = []
    let found = 0
    for (let index = 0; index < clients; index += 1) {
      const dice = createDice(`${seed}.${index}`)
      const habits = drawHabits(dice)
      const size = dice.pick(1, 1, 2, 3, 4)
      // Nothing but the time tells such calls apart, so each lasts long enough to be under way with the others.
      const isSteady = size > 1 && !habits.countsRetries && habits.insertIds !== 'kept'
      const calls = Array.from({ length: size }, (_, call) => makeCall(dice, `${call}`, call / 10, habits, isSteady))
      const { send, rules } = createTracked()
      for (const attempt of calls.flat().toSorted((a, b) => endOf(a) - endOf(b))) send(attempt)
      const retries = calls.flatMap(listRetries)
      const accused = rules()
      const count = (rule: string) => accused.filter((one) => one === rule).length
      const unfounded = Object.entries(breaches).filter(
        ([rule, isBroken]) => count(rule) > retries.filter(isBroken).length,
      )
      const isProvable = size === 1 && (habits.countsRetries || habits.insertIds === 'none')
      const promised = retries.filter((retry) => isProvable && isDuplicate(retry) && waitOf(retry) >= 10)
      found += accused.length
      if (unfounded.length > 0 || count('same-insert-id') < promised.length)
        wrong.push({
          index,
          habits,
          accused,
          unfounded: unfounded.map(([rule]) => rule),
          promised: promised.length,
          calls,
        })
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(found).toBeGreaterThan(clients / 4) // the clients are no saints
  },
)

const endOf = ({ at, takes = 0 }: Try) => at + takes
