import type { Attempt } from './attempt.ts'
import type { RetryChain } from './open-calls.ts'
import { mayBeStored, type RetryProblem } from './rules.ts'

/** Lists the candidates' last attempts. Omits the repeated attempt if it is known and other attempts remain. */
export function listRemaining(candidates: readonly RetryChain[], targets: readonly Attempt[]): readonly Attempt[] {
  const all = [...new Set(candidates.flatMap(({ lastAttempts }) => lastAttempts))]
  const others = all.filter((last) => !targets.includes(last))
  return targets.length === 1 && others.length > 0 ? others : all
}

/** Returns the problems that a retry has, regardless of which target it repeats. */
export function listSharedProblems(
  targets: readonly Attempt[],
  problemsByTarget: readonly (readonly RetryProblem[])[],
  { isCorrection }: RetryChain,
): readonly RetryProblem[] {
  const all = problemsByTarget.flat().filter(({ rule }) => !(isCorrection && rule === 'no-retry'))
  const relevantTargets = (rule: string) => (rule === 'same-insert-id' ? withoutUncertain(targets) : targets)
  const hasProblem = (last: Attempt, rule: string) =>
    problemsByTarget[targets.indexOf(last)]?.some((problem) => problem.rule === rule) === true
  return all.filter(({ rule }, index) => {
    const isFirst = all.findIndex((other) => other.rule === rule) === index
    return isFirst && relevantTargets(rule).every((last) => hasProblem(last, rule))
  })
}

/**
 * Omits attempts with an uncertain outcome, unless no other attempts remain. The event of such an attempt may have been
 * stored, so even a retry of that attempt must keep the `insertId`. An uncertain 429 is kept, since nothing was stored.
 */
function withoutUncertain(targets: readonly Attempt[]): readonly Attempt[] {
  const certain = targets.filter((last) => last.outcome !== 'uncertain' || !mayBeStored(last))
  return certain.length > 0 ? certain : targets
}
