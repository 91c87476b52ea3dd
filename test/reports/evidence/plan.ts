import { seededChance } from '../../support/chance.ts'
import { event, prompt } from '../../support/client.ts'
import type { ClientCall, ClientHabits } from './client.ts'
import { longestStallMs } from './stall-watch.ts'

/** A scenario of a try. */
export interface Fault {
  readonly scenario: string
  /** Makes the answer come as the client gives up, so that either may be first. */
  readonly isClose: boolean
}

/** A call with the faults of its first tries. All later tries succeed. */
export interface PlannedCall extends ClientCall {
  readonly faults: readonly Fault[]
  /** The time that the service takes for each try, or undefined if it takes as little as it can. */
  readonly latencyMs: number | undefined
}

/** Returns the scenario of a try, or undefined if it has none. */
export function scenarioOf({ faults, latencyMs }: PlannedCall, number: number): string | undefined {
  const scenario = faults[number]?.scenario
  const isSlow = scenario?.includes('slow') || scenario?.startsWith('hang')
  const latency = latencyMs === undefined || isSlow ? undefined : `slow;ms=${latencyMs}`
  return [scenario, latency].filter((one) => one !== undefined).join(', ') || undefined
}

/** Equal calls that are made at the same time; with an `insertId` of each, if the client sends any. */
export interface CallGroup {
  readonly calls: readonly PlannedCall[]
}

/** The calls of a client in one run. */
export interface RunPlan {
  readonly seed: string
  readonly habits: ClientHabits
  readonly groups: readonly CallGroup[]
  /** Makes all groups at the same time. */
  readonly isAllAtOnce: boolean
  /** `header`: each faulty try names its scenario; `rules`: the sandbox has rules, and no try has a control header. */
  readonly faultsBy: 'header' | 'rules'
  /** The number of connections that are opened before the first request, or undefined if `fetch` opens them. */
  readonly connections: number | undefined
}

interface Dice {
  /** Returns a number from 0 to 1. */
  readonly roll: () => number
  readonly pick: <T>(items: readonly [T, ...T[]]) => T
  readonly isLucky: (share: number) => boolean
}

/** Draws a run. The same seed gives the same run. */
export function drawRun(seed: string): RunPlan {
  const roll = seededChance(seed)
  const dice: Dice = {
    roll,
    pick: <T>(items: readonly [T, ...T[]]) => items[Math.floor(roll() * items.length)] as T, // below the length
    isLucky: (share) => roll() < share,
  }
  const habits = drawHabits(dice)
  const groupCount = dice.pick([1, 2, 3])
  return {
    seed,
    habits,
    groups: Array.from({ length: groupCount }, (_, index) => drawGroup(dice, seed, index, habits)),
    isAllAtOnce: dice.isLucky(0.5),
    faultsBy: dice.pick(['header', 'rules']),
    connections: dice.isLucky(0.5) ? dice.pick([1, 4, 8]) : undefined,
  }
}

function drawHabits(dice: Dice): ClientHabits {
  return {
    countHeader: dice.pick(['x-stainless-retry-count', 'retry-attempt', undefined]),
    insertIds: dice.pick(['kept', 'changed', 'none']),
    heedsRetryAfter: dice.isLucky(0.7),
    cancelsErrorBodies: dice.isLucky(0.7),
    insists: dice.isLucky(0.1),
    corrects: dice.isLucky(0.3),
    repeatsEvents: dice.isLucky(0.3),
    maxTries: dice.pick([3, 4]),
    timeoutMs,
    backOff: drawBackOff(dice),
  }
}

/** Draws a way to wait: growing up to a cap with jitter, always equal, at once, by chance, or ever less. */
function drawBackOff({ roll, pick }: Dice): ClientHabits['backOff'] {
  const growing = (retry: number) => Math.min(120 * 2 ** (retry - 1), 300)
  return pick<ClientHabits['backOff']>([
    (retry) => growing(retry) * (1 - roll() / 4),
    (retry) => growing(retry) * (1 - roll() / 4),
    (retry) => growing(retry) * (0.5 + roll() / 2),
    () => 100 * (1 - roll() / 4),
    () => 60 + 300 * roll(),
    () => 0,
    (retry) => 900 / 3 ** (retry - 1),
  ])
}

function drawGroup(dice: Dice, seed: string, index: number, habits: ClientHabits): CallGroup {
  const operation = dice.pick<OperationName>(['event', 'event', 'event', 'analytics', 'prompt'])
  const size = dice.pick([1, 1, 1, 2, 3, 4])
  const hasInsertId = operation === 'event' && habits.insertIds !== 'none'
  // Nothing but the time tells such calls apart. So each takes longer than a stall that nobody notices, since calls
  // that are sent together must be under way together, and no refusal, and no last try, ends one of them.
  const hasSteadyId = hasInsertId && habits.insertIds === 'kept'
  const isUnrecognisable = size > 1 && !hasSteadyId && habits.countHeader === undefined
  const calls = Array.from({ length: size }, (_, member) => ({
    name: `${index}.${member}`,
    ...callOf(operation, seed, index),
    hasInsertId,
    faults: drawFaults(dice, operation, habits, isUnrecognisable),
    latencyMs: isUnrecognisable ? longestStallMs + 20 : undefined,
  }))
  return { calls }
}

type OperationName = 'event' | 'analytics' | 'prompt'

function callOf(operation: OperationName, seed: string, index: number): Pick<ClientCall, 'method' | 'path' | 'body'> {
  const name = `${seed}/${index}`
  switch (operation) {
    case 'event':
      return { method: 'POST', path: '/events', body: event({ externalUserId: name }) }
    case 'prompt':
      return { method: 'POST', path: '/prompts', body: prompt({ name }) }
    case 'analytics': {
      const digits = String(index).padStart(12, '0')
      return { method: 'GET', path: `/models/4f7c2a1e-9b3d-4c58-8e21-${digits}/analytics`, body: undefined }
    }
  }
}

const lost = [
  'hang',
  'hang;when=after',
  'slow;ms=9000',
  'reset',
  'reset;when=after',
  'empty-response',
  'truncated',
  'malformed-json',
  'dribble;ms=9000;pieces=3',
] as const
/** Answers that come as the client gives up. */
const closeCalls = ['201', '429;retry-after=1', '500', '403'] as const
const failed = [
  '429;retry-after=1',
  '429;retry-after=0',
  '503;retry-after=1',
  '500',
  '500',
  '429;retry-after=1, dribble;ms=9000;pieces=3',
  '503;retry-after=1, dribble;ms=9000;pieces=3',
  '500, dribble;ms=9000;pieces=3',
  '500, truncated',
] as const

function drawFaults(
  dice: Dice,
  operation: OperationName,
  { maxTries }: ClientHabits,
  mustSucceed: boolean,
): readonly Fault[] {
  const count = dice.pick([0, 1, 1, 2, 2, 3, 4])
  return Array.from({ length: mustSucceed ? Math.min(count, maxTries - 1) : count }, () =>
    drawFault(dice, operation, mustSucceed),
  )
}

const timeoutMs = 500

function drawFault({ pick, isLucky }: Dice, operation: OperationName, mustSucceed: boolean): Fault {
  if (!mustSucceed && isLucky(0.08))
    return { scenario: pick(operation === 'analytics' ? ['403', '404'] : ['400', '403']), isClose: false }
  if (isLucky(0.15)) {
    const answer = mustSucceed ? '429;retry-after=1' : pick(closeCalls)
    const slow = `slow;ms=${timeoutMs - 4 + pick([0, 2, 4, 6, 8])}`
    return { scenario: answer === '201' ? slow : `${answer}, ${slow}`, isClose: true }
  }
  if (isLucky(0.5)) return { scenario: pick(failed), isClose: false }
  if (operation !== 'analytics' && isLucky(0.2)) return { scenario: 'lost-ack', isClose: false }
  return { scenario: pick(lost), isClose: false }
}
