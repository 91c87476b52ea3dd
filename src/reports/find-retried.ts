import { type Attempt, canRetry, immediateMs, isTooEarly } from './attempts.ts'
import { judgeRetry, mayBeStored } from './judge-retry.ts'
import type { MannersRule } from './manners-rules.ts'
import type { RetryChain } from './retry-chains.ts'

/** The chain that an attempt continues. */
export interface RetriedChain {
  readonly chain: RetryChain
  /** The rules that the retry is held to: fewer where it may be the retry of another call, or none. */
  readonly rules: readonly MannersRule[]
  /** True where nothing else can have been tried again. */
  readonly isCertain: boolean
  /** The other chains that the attempt can continue as well. */
  readonly rivals: readonly RetryChain[]
}

const allRules: readonly MannersRule[] = ['retry-after', 'back-off', 'same-insert-id', 'no-retry']
const duplicates: readonly MannersRule[] = ['same-insert-id']

/** An attempt, with the question whether the body of its operation has an `insertId`. */
interface Retry {
  readonly latest: Attempt
  readonly isIdempotent: boolean
}

/** Returns the chain of its own call that an attempt continues; undefined: it begins one. A count of the client is believed first. */
export function findRetried(retry: Retry, chains: readonly RetryChain[]): RetriedChain | undefined {
  const { insertId, retryCount } = retry.latest
  if (retryCount === undefined) return findByOrder(retry, chains)
  if (retryCount > 0) return findByCount(retry, chains)
  // A first attempt; if it has the insertId of a call before, it is that call all the same.
  const retried = insertId === undefined ? undefined : findByOrder(retry, chains)
  return retried && { ...retried, rules: [] }
}

/**
 * Finds the attempt that a client counts before this one: the highest count below of those that had ended, or were given up. The end of a
 * cancelled answer can be seen after the answer of its retry, so that the right attempt may be missing: if the count has a gap, the retry
 * is held to no rule, and if an equal call with a lower count is open, to no rule about waiting.
 */
function findByCount(retry: Retry, chains: readonly RetryChain[]): RetriedChain | undefined {
  const { latest } = retry
  const countOf = ({ last: { retryCount = 0 } }: RetryChain) => retryCount
  const earlier = chains.filter((chain) => countOf(chain) < (latest.retryCount ?? 0))
  const ended = earlier.filter(({ last }) => hasEnded(last, latest))
  // The simulator may see that a client gave up only after its retry was read. And a retry that took long may find its failed try
  // continued by that of an equal call, whose failed try is then left.
  const known =
    ended.length > 0 ? ended : earlier.filter((chain) => chain.last.isGivenUp || chain.isContested)
  const highest = Math.max(...known.map(countOf))
  const next = known.filter((chain) => countOf(chain) === highest)
  if (highest + 1 !== latest.retryCount) return pickLikeliest(retry, next, [])
  const isAlone = earlier.every((chain) => countOf(chain) >= highest)
  return pickLikeliest(retry, next, isAlone ? allRules : duplicates)
}

/** Finds the attempt that a client which does not count can have tried again: one that had ended before. */
function findByOrder(retry: Retry, chains: readonly RetryChain[]): RetriedChain | undefined {
  const { latest } = retry
  const ended = chains.filter(({ last }) => canRetry(latest, last) && isOfSameHabit(latest, last))
  const certain = ended.filter(({ isParallel }) => !isParallel)
  if (certain.length > 0) return pickLikeliest(retry, certain, allRules)
  const due = ended.filter(({ last }) => last.outcome === 'lost' || !isTooEarly(latest, last))
  const retried = pickLikeliest(retry, due, duplicates)
  return retried?.chain.last.outcome === 'lost' ? retried : retried && { ...retried, rules: [] }
}

/** Returns false where the client of one attempt counts and that of the other does not. An equal insertId proves more than that. */
function isOfSameHabit(latest: Attempt, last: Attempt): boolean {
  return latest.insertId !== undefined || last.retryCount === undefined
}

/** Returns true where an attempt had ended when another one arrived. A client that gives up knows it before the simulator does. */
function hasEnded({ endedAt }: Attempt, { receivedAt }: Attempt): boolean {
  return receivedAt >= endedAt - immediateMs
}

/**
 * Returns the chain whose attempt was sent again with another `insertId`, or without one; undefined for none. Requests with different ids
 * are different calls, unless the client says that this is a retry, or sends such calls one after the other and never sent that id again.
 * `chains`: those of other calls with the same body.
 */
export function findReplaced(retry: Retry, chains: readonly RetryChain[]): RetriedChain | undefined {
  const { latest, isIdempotent } = retry
  const { retryCount } = latest
  const open = chains.filter(({ last, isReplaced }) => !isReplaced && last.outcome !== 'refused')
  if (!isIdempotent || retryCount === 0) return undefined
  if (retryCount !== undefined) {
    const before = open.filter(({ last }) => (last.retryCount ?? 0) === retryCount - 1)
    const ended = before.filter(({ last }) => hasEnded(last, latest))
    // A retry that took long may find its failed try replaced by that of an equal call, whose failed try is then left.
    const counted = ended.length > 0 ? ended : before.filter(({ isContested }) => isContested)
    return pickLikeliest(retry, counted, duplicates)
  }
  const sole = open.filter(({ last, hasTwin }) => {
    const canBe = !hasTwin && last.retryCount === undefined
    return canBe && mayBeStored(last) && canRetry(latest, last)
  })
  return pickLikeliest(retry, sole, latest.insertId === undefined ? allRules : duplicates)
}

/**
 * Returns the chain whose retry breaks the fewest rules, the latest of several; undefined for none. Equal calls of a client that are under
 * way together cannot be told apart: so the retry is held only to those of the rules about waiting that it breaks in any case.
 */
function pickLikeliest(
  { latest, isIdempotent }: Retry,
  chains: readonly RetryChain[],
  rules: readonly MannersRule[],
): RetriedChain | undefined {
  const candidates = chains.map((chain) => {
    const faults = judgeRetry(chain, latest, isIdempotent).faults.map(({ rule }) => rule)
    const impolite = faults.filter((rule) => rule !== 'same-insert-id')
    return { chain, faults, impolite, isRefused: chain.last.outcome === 'refused' }
  })
  candidates.sort(
    (a, b) =>
      a.impolite.length - b.impolite.length ||
      Number(a.isRefused) - Number(b.isRefused) ||
      a.faults.length - b.faults.length ||
      b.chain.last.endedAt - a.chain.last.endedAt,
  )
  const [likeliest, ...others] = candidates
  if (!likeliest) return undefined
  const isShared = (rule: MannersRule) =>
    candidates.every(({ chain, faults }) => !chain.isContested && faults.includes(rule))
  return {
    chain: likeliest.chain,
    rules: rules.filter((rule) => rule === 'same-insert-id' || isShared(rule)),
    isCertain: others.length === 0 && rules === allRules && !likeliest.chain.isContested,
    rivals: others.map(({ chain }) => chain),
  }
}
