import { type Attempt, canRetry, immediateMs } from './attempts.ts'
import type { CallKey } from './call-key.ts'
import type { RetryChain } from './retry-chains.ts'

/** The failed tries of which an attempt is a retry. */
export interface RetriedTries {
  readonly chain: RetryChain
  /** The failed tries of which one was tried again: several where equal calls are under way together. */
  readonly tries: readonly Attempt[]
  readonly candidates: readonly RetryChain[]
  /** False where the attempt before may be one that is not known yet. */
  readonly isCertain: boolean
}

/** Returns the tries that an attempt repeats; undefined: it begins a call. A count of the client is believed first. */
export function findRetried(
  latest: Attempt,
  { key, event, content }: CallKey,
  chains: readonly RetryChain[],
): RetriedTries | undefined {
  const { retryCount } = latest
  const equal = chains.filter(({ call }) => call.key === key)
  if (retryCount === undefined) {
    const isRetried = (before: Attempt) => before.retryCount === undefined && canRetry(latest, before)
    const sameEvent = chains.filter(({ call }) => event !== undefined && call.event === event)
    return pickRetried(equal, isRetried) ?? pickRetried(sameEvent, isRetried)
  }
  if (retryCount === 0) return undefined
  const isRetried = (before: Attempt) => countOf(before) === retryCount - 1 && hasEnded(before, latest)
  const alike = chains.filter(({ call }) => call.content === content)
  const ownTries = pickRetried(equal, isRetried)
  const retried = ownTries ?? pickRetried(alike, isRetried)
  const others = ownTries ? equal : alike
  const isComplete = others.every(({ lasts }) => lasts.every((last) => countOf(last) >= retryCount - 1))
  const mayBeCorrected = (last: Attempt) => last.outcome === 'refused' && isRetried(last)
  const refused = chains.flatMap(({ lasts }) => lasts.filter(mayBeCorrected))
  return retried && { ...retried, isCertain: isComplete && !mayCorrect(refused, retried) }
}

/** Returns true where an attempt may be the correction of a refused one, as the tries were of one refused before. */
function mayCorrect(refused: readonly Attempt[], { tries, candidates }: Omit<RetriedTries, 'isCertain'>): boolean {
  const [first] = tries as [Attempt] // a candidate has at least one
  const isLater = ({ receivedAt }: Attempt) => receivedAt > first.receivedAt
  return candidates.some(({ isCorrection }) => isCorrection) && refused.some(isLater)
}

/** Returns the number of earlier tries; some clients count from the first retry on. */
const countOf = ({ retryCount = 0 }: Attempt) => retryCount

/** Returns true if an attempt had ended when another arrived. A client knows that it gives up before we do. */
function hasEnded({ endedAt }: Attempt, { receivedAt }: Attempt): boolean {
  return receivedAt >= endedAt - immediateMs
}

function pickRetried(chains: readonly RetryChain[], isRetried: (before: Attempt) => boolean): RetriedTries | undefined {
  const candidates = chains.filter(({ lasts }) => lasts.some(isRetried))
  const [chain] = candidates
  if (!chain) return undefined
  const tries = [...new Set(candidates.flatMap(({ lasts }) => lasts.filter(isRetried)))]
  return { chain, tries, candidates, isCertain: true }
}
