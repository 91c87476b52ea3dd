import type { Json } from '../../core/json.ts'
import { isSameJson } from '../../core/same-json.ts'
import type { Direction } from './change.ts'
import type { FlatSchema } from './flat-schema.ts'
import type { ReportChange } from './report-change.ts'

/** Compares the types of two schemas. */
export function compareTypes(old: FlatSchema, present: FlatSchema, report: ReportChange): void {
  const [before, after] = [old.types, present.types]
  if (!before && !after) return
  if (!after)
    report({ kind: 'type-changed', effect: 'wider', message: `may be of any type (before: ${list(before)})` })
  else if (!before)
    report({
      kind: 'type-changed',
      effect: 'narrower',
      message: `is of the type ${list(after)} (before: any)`,
    })
  else {
    for (const type of listMissing(before, after))
      report({
        kind: kindOf(type, 'removed'),
        effect: 'narrower',
        message: `is no longer of the type ${type}`,
      })
    for (const type of listMissing(after, before))
      report({ kind: kindOf(type, 'added'), effect: 'wider', message: `can be of the type ${type}` })
  }
}

const list = (types: ReadonlySet<string> | undefined) => [...(types ?? [])].join(' or ')

const kindOf = (type: string, what: 'added' | 'removed') =>
  type === 'null' ? (`null-${what}` as const) : 'type-changed'

/** Returns the types whose values others do not allow. Integers are numbers. */
function listMissing(types: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...types].filter((type) => !others.has(type) && !(type === 'integer' && others.has('number')))
}

/** Compares the listed values of two schemas. A new value in an answer breaks only the readers that know all of them. */
export function compareValues(
  old: FlatSchema,
  present: FlatSchema,
  report: ReportChange,
  direction: Direction,
): void {
  const isAnswer = direction === 'response'
  const reportNew = (message: string) =>
    report({
      kind: 'enum-value-added',
      effect: 'wider',
      ...(isAnswer && { level: 'risky' }),
      message: isAnswer ? `${message}, which breaks readers that know all values` : message,
    })
  const reportRemoved = (message: string) =>
    report({ kind: 'enum-value-removed', effect: 'narrower', message })
  const [before, after] = [old.values, present.values]
  if (before && after) {
    // Null is a type, whose change is reported as such.
    const isNullNews = old.types?.has('null') !== present.types?.has('null')
    const listOther = (values: readonly Json[], others: readonly Json[]) =>
      values.filter(
        (value) => !(value === null && isNullNews) && !others.some((other) => isSameJson(value, other)),
      )
    for (const value of listOther(before, after)) reportRemoved(`no longer has the value ${show([value])}`)
    for (const value of listOther(after, before)) reportNew(`has the new value ${show([value])}`)
  } else if (before) reportNew('may have other values than those listed before')
  else if (after) reportRemoved(`is limited to ${show(after)}`)
}

const show = (values: readonly Json[]) => values.map((value) => JSON.stringify(value)).join(', ')
