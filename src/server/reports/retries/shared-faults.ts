import type { Attempt } from './attempt.ts'
import type { RetryChain } from './open-calls.ts'
import { mayBeStored, type RetryFault } from './rules.ts'

/** Lists the last attempts of the candidates, except the attempt that was certainly repeated, if it is known. */
export function listRemaining(candidates: readonly RetryChain[], tries: readonly Attempt[]): readonly Attempt[] {
  const all = [...new Set(candidates.flatMap(({ lastAttempts }) => lastAttempts))]
  const others = all.filter((last) => !tries.includes(last))
  return tries.length === 1 && others.length > 0 ? others : all
}

/** Returns the faults that a retry has no matter which of the attempts it repeats. */
export function listSharedFaults(
  tries: readonly Attempt[],
  faultsByTry: readonly (readonly RetryFault[])[],
  { isCorrection }: RetryChain,
): readonly RetryFault[] {
  const all = faultsByTry.flat().filter(({ rule }) => !(isCorrection && rule === 'no-retry'))
  const relevantTries = (rule: string) => (rule === 'same-insert-id' ? withoutUncertain(tries) : tries)
  const hasFault = (last: Attempt, rule: string) =>
    faultsByTry[tries.indexOf(last)]?.some((fault) => fault.rule === rule) === true
  return all.filter(({ rule }, index) => {
    const isFirst = all.findIndex((other) => other.rule === rule) === index
    return isFirst && relevantTries(rule).every((last) => hasFault(last, rule))
  })
}

/**
 * Returns the attempts that may justify a different `insertId`, or all attempts if none does. An uncertain outcome
 * does not, since the event may have been stored, unless it is a 429, since nothing was stored.
 */
function withoutUncertain(tries: readonly Attempt[]): readonly Attempt[] {
  const certain = tries.filter((last) => last.outcome !== 'uncertain' || !mayBeStored(last))
  return certain.length > 0 ? certain : tries
}
