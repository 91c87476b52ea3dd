import type { Attempt } from './attempt.ts'
import type { RetryChain } from './open-calls.ts'
import { mayBeStored, type RetryProblem } from './rules.ts'

/** Lists the candidates' last attempts. Omits the repeated attempt if it is certain and others remain. */
export function listRemaining(candidates: readonly RetryChain[], tries: readonly Attempt[]): readonly Attempt[] {
  const all = [...new Set(candidates.flatMap(({ lastAttempts }) => lastAttempts))]
  const others = all.filter((last) => !tries.includes(last))
  return tries.length === 1 && others.length > 0 ? others : all
}

/** Returns the problems that a retry has, no matter which of the attempts it repeats. */
export function listSharedProblems(
  tries: readonly Attempt[],
  problemsByTry: readonly (readonly RetryProblem[])[],
  { isCorrection }: RetryChain,
): readonly RetryProblem[] {
  const all = problemsByTry.flat().filter(({ rule }) => !(isCorrection && rule === 'no-retry'))
  const relevantTries = (rule: string) => (rule === 'same-insert-id' ? withoutUncertain(tries) : tries)
  const hasProblem = (last: Attempt, rule: string) =>
    problemsByTry[tries.indexOf(last)]?.some((problem) => problem.rule === rule) === true
  return all.filter(({ rule }, index) => {
    const isFirst = all.findIndex((other) => other.rule === rule) === index
    return isFirst && relevantTries(rule).every((last) => hasProblem(last, rule))
  })
}

/**
 * Omits attempts with an uncertain outcome, unless no others remain. Their events may have been stored, so these
 * attempts cannot justify a different `insertId`. An uncertain 429 is kept, since nothing was stored.
 */
function withoutUncertain(tries: readonly Attempt[]): readonly Attempt[] {
  const certain = tries.filter((last) => last.outcome !== 'uncertain' || !mayBeStored(last))
  return certain.length > 0 ? certain : tries
}
