import { canonicalJson, isObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { compareFields, compareFurtherFields } from './fields.ts'
import { type FlatSchema, flattenSchema, type Located } from './flat-schema.ts'
import { compareKeyword } from './keywords.ts'
import { createReport, type ReportChange, type SchemaContext } from './report-change.ts'
import { compareTypes, compareValues } from './values.ts'

/** A pair of schemas, by their pointers, with the place of the value: `/components/*`. */
interface SchemaPair {
  readonly old: string
  readonly new: string
  readonly path: string
}

/** Compares the schemas at two pointers. One that is missing allows every value. */
export function compareSchemas(context: SchemaContext, old: string, present: string): void {
  compare(context, { old, new: present, path: '' }, new Set())
}

function compare(context: SchemaContext, pair: SchemaPair, seen: Set<string>): void {
  const key = `${pair.old} ${pair.new}`
  if (seen.has(key)) return // a recursive schema
  const inner = new Set([...seen, key])
  const old = flattenSchema(context.old, pair.old)
  const present = flattenSchema(context.new, pair.new)
  const report = createReport(context, pair.path, old, present)
  if (old.isForbidden !== present.isForbidden) {
    const message = present.isForbidden ? 'is no longer allowed' : 'is allowed now'
    report({ kind: 'type-changed', effect: present.isForbidden ? 'narrower' : 'wider', message })
    return
  }
  compareTypes(old, present, report)
  compareValues(old, present, report, context.direction)
  for (const name of new Set([...old.keywords.keys(), ...present.keywords.keys()])) {
    const [before, after] = [old.keywords.get(name), present.keywords.get(name)]
    const change = compareKeyword(name, before?.value, after?.value)
    if (change) report({ ...change, old: before?.pointer, new: after?.pointer })
  }
  compareFurtherFields(old, present, report, context.direction)
  for (const { name, ...pointers } of compareFields(context, old, present, pair.path))
    compare(context, { ...pointers, path: joinPointer(pair.path, name) }, inner)
  compareNested(context, old, present, pair.path, inner)
  compareVariants(context, old, present, pair.path, inner, report)
}

/** Compares the items of lists, and the schemas of undocumented fields. */
function compareNested(
  context: SchemaContext,
  old: FlatSchema,
  present: FlatSchema,
  path: string,
  seen: Set<string>,
): void {
  for (const keyword of ['items', 'additionalProperties']) {
    const [before, after] = [old.keywords.get(keyword), present.keywords.get(keyword)]
    if (!isObject(before?.value) && !isObject(after?.value)) continue
    if (before?.value === false || after?.value === false) continue // reported as further fields
    const at = joinPointer(path, '*')
    const pointers = { old: before?.pointer ?? missing(old), new: after?.pointer ?? missing(present) }
    compare(context, { ...pointers, path: at }, seen)
  }
}

/** Returns a pointer that leads to no schema; its place is that of the schema around it. */
const missing = ({ pointer }: FlatSchema) => joinPointer(pointer, ' missing')

/** Compares the alternatives of `anyOf` and `oneOf`. */
function compareVariants(
  context: SchemaContext,
  old: FlatSchema,
  present: FlatSchema,
  path: string,
  seen: Set<string>,
  report: ReportChange,
): void {
  for (const keyword of ['anyOf', 'oneOf']) {
    const [before, after] = [old.keywords.get(keyword), present.keywords.get(keyword)]
    const { pairs, removed, added } = pairVariants(before, after)
    for (const [left, right] of pairs) compare(context, { old: left, new: right, path }, seen)
    // A schema that becomes a choice allows less than any value; one that is no choice any more allows more.
    const [less, more] = [after ? 'narrower' : 'wider', before ? 'wider' : 'narrower'] as const
    for (const pointer of removed)
      report({
        kind: 'variant-removed',
        effect: less,
        message: `has one shape less in ${keyword}`,
        old: pointer,
      })
    for (const pointer of added)
      report({
        kind: 'variant-added',
        effect: more,
        message: `has one more shape in ${keyword}`,
        new: pointer,
      })
  }
}

/** Pairs the alternatives of two choices: those that are written the same, and then the others in their order. Returns pointers. */
function pairVariants(old: Located | undefined, present: Located | undefined) {
  const [olds, presents] = [listVariants(old), listVariants(present)]
  const same = olds.flatMap(({ text, pointer }) => {
    const other = presents.find((one) => one.text === text)
    return other ? [[pointer, other.pointer] as const] : []
  })
  const left = olds.filter(({ pointer }) => !same.some(([known]) => known === pointer))
  const right = presents.filter(({ pointer }) => !same.some(([, known]) => known === pointer))
  const count = Math.min(left.length, right.length)
  const changed = left.slice(0, count).map(({ pointer }, at) => [pointer, right[at]?.pointer ?? ''] as const)
  return {
    pairs: [...same, ...changed],
    removed: left.slice(count).map(({ pointer }) => pointer),
    added: right.slice(count).map(({ pointer }) => pointer),
  }
}

function listVariants(located: Located | undefined): { text: string; pointer: string }[] {
  const { value, pointer } = located ?? { value: [], pointer: '' }
  const variants = Array.isArray(value) ? value : []
  return variants.map((variant, index) => ({
    text: canonicalJson(variant),
    pointer: joinPointer(pointer, index),
  }))
}
