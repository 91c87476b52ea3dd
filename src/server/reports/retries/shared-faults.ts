import type { Attempt } from './attempt.ts'
import type { RetryChain } from './open-calls.ts'
import { mayBeStored, type RetryFault } from './rules.ts'

/** Lists the last attempts of the candidates, without the one that was certainly repeated, if it is known. */
export function listLeft(candidates: readonly RetryChain[], tries: readonly Attempt[]): readonly Attempt[] {
  const all = [...new Set(candidates.flatMap(({ lasts }) => lasts))]
  const others = all.filter((last) => !tries.includes(last))
  return tries.length === 1 && others.length > 0 ? others : all
}

/** Returns the faults of a retry that hold no matter which of the attempts it repeats. */
export function listSharedFaults(
  tries: readonly Attempt[],
  judged: readonly (readonly RetryFault[])[],
  { isCorrection }: RetryChain,
): readonly RetryFault[] {
  const all = judged.flat().filter(({ rule }) => !(isCorrection && rule === 'no-retry'))
  const sharers = (rule: string) => (rule === 'same-insert-id' ? withoutUncertain(tries) : tries)
  const hasFault = (last: Attempt, rule: string) =>
    judged[tries.indexOf(last)]?.some((fault) => fault.rule === rule) === true
  return all.filter(({ rule }, index) => {
    const isFirst = all.findIndex((other) => other.rule === rule) === index
    return isFirst && sharers(rule).every((last) => hasFault(last, rule))
  })
}

/**
 * Returns the attempts that may justify another `insertId`, or all if there are none. An attempt with an uncertain
 * outcome does not, since its event may have been stored, too; an uncertain 429 does, since nothing was stored.
 */
function withoutUncertain(tries: readonly Attempt[]): readonly Attempt[] {
  const certain = tries.filter((last) => last.outcome !== 'uncertain' || !mayBeStored(last))
  return certain.length > 0 ? certain : tries
}
