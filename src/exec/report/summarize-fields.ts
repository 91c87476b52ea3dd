import { pluralize } from '../../reports/report.ts'
import type { JudgedRun } from './suite-report.ts'
import { isConclusive } from './verdict.ts'

/** A field of an operation's answers, and how the tests take its drift. */
interface DriftedField {
  readonly pointer: string
  /** The names of the drifts that were tried, in the order of the plan. */
  readonly tried: readonly string[]
  /** The names of those that no test noticed. */
  readonly unnoticed: readonly string[]
}

/** The fields of an operation's answers that drifted, in the order of the plan. */
interface FieldSummary {
  readonly operation: string
  readonly fields: readonly DriftedField[]
}

/** Summarizes the runs with drift by field, in the order of the plan. */
export function summarizeFields(runs: readonly JudgedRun[]): FieldSummary[] {
  const drifted = runs.filter(
    ({ run, verdict }) => run.pointer !== undefined && run.fault.question === 'notice' && isConclusive(verdict),
  )
  const operations = [...new Set(drifted.map(({ run }) => run.operation))]
  return operations.map((operation) => {
    const own = drifted.filter(({ run }) => run.operation === operation)
    const pointers = [...new Set(own.map(({ run }) => run.pointer ?? ''))]
    return { operation, fields: pointers.map((pointer) => summarizeField(pointer, own)) }
  })
}

function summarizeField(pointer: string, runs: readonly JudgedRun[]): DriftedField {
  const own = runs.filter(({ run }) => run.pointer === pointer)
  const namesOf = (some: readonly JudgedRun[]) => some.map(({ run }) => run.fault.scenario.definition.name)
  const unnoticed = own.filter(({ verdict }) => verdict === 'unnoticed')
  return { pointer, tried: namesOf(own), unnoticed: namesOf(unnoticed) }
}

/** The number of fields that a sentence names. */
const maxNamed = 12

/**
 * Describes the fields of an operation in one sentence for each way in which the tests take their drift. A sentence
 * names the drifts that were tried, since it says nothing about others.
 */
export function describeFields({ operation, fields }: FieldSummary): string[] {
  const byWords = new Map<string, string[]>()
  for (const field of fields) {
    const { pointer, tried, unnoticed } = field
    const [words, name] =
      unnoticed.length > 0 && unnoticed.length < tried.length
        ? ['of which no test notices the drift in brackets', `${pointer} (${unnoticed.join(', ')})`]
        : [`of which ${describeTaking(field)} drift that was tried (${tried.join(', ')})`, pointer]
    byWords.set(words, [...(byWords.get(words) ?? []), name])
  }
  return [...byWords].map(([words, names]) => {
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
    const list = names.slice(0, maxNamed).join(', ')
    return `${operation} has ${pluralize(names.length, 'field')} ${words}: ${list}${more}.`
  })
}

const describeTaking = ({ unnoticed }: DriftedField) =>
  unnoticed.length === 0 ? 'some test notices every' : 'no test notices any'
