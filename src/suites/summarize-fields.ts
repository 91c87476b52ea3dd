import { pluralize } from '../reports/report.ts'
import type { JudgedRun } from './suite-report.ts'

/** The fields of an operation's answers by how the tests take their drift. */
export interface FieldSummary {
  readonly operation: string
  /** Each drift that was tried was noticed. */
  readonly checked: readonly string[]
  /** Some drift was noticed, and some was not, which follows in brackets: `/eventId (wrong-type)`. */
  readonly partly: readonly string[]
  /** No drift was noticed. */
  readonly unchecked: readonly string[]
}

/** Summarizes the runs with drift by field, in the order of the plan. */
export function summarizeFields(runs: readonly JudgedRun[]): FieldSummary[] {
  const drifted = runs.filter(
    ({ run, verdict }) =>
      run.pointer !== undefined && run.fault.question === 'notice' && verdict !== 'not-reached',
  )
  const operations = [...new Set(drifted.map(({ run }) => run.operation))]
  return operations.map((operation) =>
    summarizeOperation(
      operation,
      drifted.filter(({ run }) => run.operation === operation),
    ),
  )
}

function summarizeOperation(operation: string, runs: readonly JudgedRun[]): FieldSummary {
  const checked: string[] = []
  const partly: string[] = []
  const unchecked: string[] = []
  for (const pointer of new Set(runs.map(({ run }) => run.pointer ?? ''))) {
    const own = runs.filter(({ run }) => run.pointer === pointer)
    const passed = own.filter(({ verdict }) => verdict === 'not-noticed')
    const names = passed.map(({ run }) => run.fault.scenario.definition.name)
    if (passed.length === 0) checked.push(pointer)
    else if (passed.length === own.length) unchecked.push(pointer)
    else partly.push(`${pointer} (${names.join(', ')})`)
  }
  return { operation, checked, partly, unchecked }
}

/** The number of fields that a sentence names. */
const maxNamed = 12

/** Describes the fields of an operation in one sentence for each way in which the tests take their drift. */
export function describeFields({ operation, checked, partly, unchecked }: FieldSummary): string[] {
  const parts = [
    [checked, 'of which some test notices every drift'],
    [partly, 'of which no test notices the drift in brackets'],
    [unchecked, 'of which no test notices any drift'],
  ] as const
  return parts
    .filter(([fields]) => fields.length > 0)
    .map(([fields, words]) => {
      const more = fields.length > maxNamed ? ` and ${fields.length - maxNamed} more` : ''
      const named = fields.slice(0, maxNamed).join(', ')
      return `${operation} has ${pluralize(fields.length, 'field')} ${words}: ${named}${more}.`
    })
}
