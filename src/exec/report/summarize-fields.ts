import { groupBy } from '../../core/group-by.ts'
import { pluralize } from '../../reports/report.ts'
import type { JudgedRun } from './suite-report.ts'
import { isConclusive } from './verdict.ts'

/** The number of fields that a sentence names. */
const maxNamed = 12

/**
 * Describes the fields that drifted, by operation, in one sentence for each way in which the tests take their drift, in
 * the order of the plan. A sentence names the drifts that were tried, since it says nothing about others.
 */
export function describeFields(runs: readonly JudgedRun[]): string[] {
  const drifted = runs.filter(
    ({ run, verdict }) => run.pointer !== undefined && run.fault.question === 'notice' && isConclusive(verdict),
  )
  return [...groupBy(drifted, ({ run }) => run.operation)].flatMap(([operation, own]) => {
    const fields = [...groupBy(own, ({ run }) => run.pointer)].map(([pointer, tried]) =>
      describeTriedField(pointer, tried),
    )
    return [...groupBy(fields, ({ words }) => words)].map(([words, alike]) => {
      const more = alike.length > maxNamed ? ` and ${alike.length - maxNamed} more` : ''
      const list = alike.slice(0, maxNamed).map(({ name }) => name)
      return `${operation} has ${pluralize(alike.length, 'field')} ${words}: ${list.join(', ')}${more}.`
    })
  })
}

/** Describes the way in which the tests take the drift of a field, and names the field. */
function describeTriedField(pointer: string | undefined, tried: readonly JudgedRun[]) {
  const listNames = (some: readonly JudgedRun[]) => some.map(({ run }) => run.fault.scenario.definition.name).join(', ')
  const unnoticed = tried.filter(({ verdict }) => verdict === 'unnoticed')
  if (unnoticed.length > 0 && unnoticed.length < tried.length)
    return { words: 'of which no test notices the drift in brackets', name: `${pointer} (${listNames(unnoticed)})` }
  const taking = unnoticed.length === 0 ? 'some test notices every' : 'no test notices any'
  return { words: `of which ${taking} drift that was tried (${listNames(tried)})`, name: pointer }
}
