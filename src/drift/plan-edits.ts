import { resolve } from '../contract/resolve.ts'
import { simulatedValues } from '../contract/simulated-values.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Edit } from '../documents/edit.ts'
import { redacted } from '../redaction/redact-token.ts'
import type { DriftFinding } from './finding.ts'
import { inferSchema } from './infer-schema.ts'
import { findResponse, findSchema, listParts, type SchemaPlace } from './places.ts'
import { planResponseEdits } from './plan-response-edits.ts'

/**
 * Plans the changes of a document after which it allows what a finding shows. They loosen the rules that are there, and a new field gets the types
 * that were seen, so that the simulator's own answers, which do not have it, fit the document afterwards, too. The error is a sentence that says why there is no such change.
 */
export function planEdits(document: JsonObject, finding: DriftFinding): Result<readonly Edit[]> {
  const { operation, status, pointer, kind } = finding
  if (pointer === '' && kind !== 'constraint') {
    const planned = planResponseEdits(document, finding)
    if (planned) return planned
  }
  const owner = findSchema(document, operation, status, pointer.slice(0, pointer.lastIndexOf('/')))
  const name = parsePointer(pointer).at(-1) ?? ''
  if (kind === 'missing-field' || kind === 'renamed-field' || kind === 'new-field') {
    if (!owner) return failure('The contract has no schema at its place.')
    return planMember(document, owner.pointer, name, finding)
  }
  const place = findSchema(document, operation, status, pointer)
  if (!place || !findResponse(document, operation, status))
    return failure('The contract has no schema at its place.')
  if (isRedacted(finding))
    return failure('The value looks like a credential. It is redacted, so the patch cannot name it.')
  return planValue(document, place, finding)
}

const isRedacted = ({ kind, values }: DriftFinding) =>
  kind === 'enum-value' && values.some((value) => JSON.stringify(value).includes(redacted))

/** Plans the changes for a member of an object: optional, new, or under another name. */
function planMember(
  document: JsonObject,
  owner: string,
  name: string,
  finding: DriftFinding,
): Result<readonly Edit[]> {
  const { kind, detail, seen, of, values } = finding
  if (kind === 'new-field') return success([addProperty(document, owner, name, inferSchema(values))])
  const edits = [owner, ...listParts(document, owner)].flatMap((part) => makeOptional(document, part, name))
  const site = findProperty(document, owner, name)
  // A field that is no more is marked, so that a later comparison does not miss it.
  if (site !== undefined && seen === of)
    edits.push({ kind: 'set', pointer: joinPointer(site, 'deprecated'), value: true })
  if (kind === 'renamed-field') {
    const schema = site === undefined ? undefined : valueAt(document, site)
    edits.push(
      addProperty(document, owner, detail, isObject(schema) ? copySchema(schema) : inferSchema(values)),
    )
  }
  return edits.length > 0
    ? success(edits)
    : failure('The rule that demands it cannot be found in the contract.')
}

/** Returns a copy of a schema for another property, without what was said about the first. */
function copySchema(schema: JsonObject): JsonObject {
  const { deprecated: _deprecated, 'x-assumption': _assumption, ...others } = schema
  return others
}

function addProperty(document: JsonObject, owner: string, name: string, schema: JsonObject): Edit {
  const part = [owner, ...listParts(document, owner)].find((one) => hasProperties(document, one)) ?? owner
  const pointer = resolve(document, part)?.pointer ?? part
  if (!hasProperties(document, pointer))
    return { kind: 'set', pointer: joinPointer(pointer, 'properties'), value: { [name]: schema } }
  return { kind: 'set', pointer: joinPointer(pointer, 'properties', name), value: schema }
}

const hasProperties = (document: JsonObject, pointer: string) =>
  isObject(resolve(document, pointer)?.value.properties)

function findProperty(document: JsonObject, owner: string, name: string): string | undefined {
  const sites = [owner, ...listParts(document, owner)].flatMap((part) => {
    const found = resolve(document, part)
    const properties = found?.value.properties
    const has = found && isObject(properties) && isObject(properties[name])
    return has ? [joinPointer(found.pointer, 'properties', name)] : []
  })
  return sites[0]
}

/** Returns the changes after which a schema, and the simulator's narrower rules beside it, do not demand a member. */
function makeOptional(document: JsonObject, site: string, name: string): Edit[] {
  const found = resolve(document, site)
  if (!found) return []
  const places = [found.pointer, joinPointer(found.pointer, simulatedValues)]
  return places.flatMap((pointer): Edit[] => {
    const required = valueAt(document, joinPointer(pointer, 'required'))
    const isDemanded = Array.isArray(required) && required.includes(name)
    return isDemanded ? [{ kind: 'remove-item', pointer: joinPointer(pointer, 'required'), value: name }] : []
  })
}

/** Plans the changes for a value: another type, null, a further value of a list, or a rule less. */
function planValue(document: JsonObject, place: SchemaPlace, finding: DriftFinding): Result<readonly Edit[]> {
  const { kind, keyword, isSimulated, values } = finding
  const rules = isSimulated ? joinPointer(place.pointer, simulatedValues) : place.pointer
  const schema = valueAt(document, rules)
  const isHere = isObject(schema) && keyword in schema
  if (kind === 'enum-value' && keyword === 'enum' && isHere)
    return success(values.slice(0, 1).map((value) => ({ kind: 'append', pointer: `${rules}/enum`, value })))
  if (isSimulated || kind === 'no-enum' || kind === 'enum-value')
    return isHere
      ? success([{ kind: 'remove', pointer: joinPointer(rules, keyword) }])
      : widen(document, place, values)
  const isReference = place.site !== place.pointer
  if ((kind === 'format' || kind === 'constraint') && isHere && !isReference)
    return success([{ kind: 'remove', pointer: joinPointer(rules, keyword) }])
  return widen(document, place, values)
}

/** Plans the changes after which a schema also takes values of the types that were seen. A shared schema stays as it is for others. */
function widen(
  document: JsonObject,
  { site, pointer }: SchemaPlace,
  values: readonly Json[],
): Result<readonly Edit[]> {
  const schema = valueAt(document, site)
  if (!isObject(schema)) return failure('The contract has no schema at its place.')
  // Nothing but null is told here, where `inferSchema` leaves everything open.
  const seen = values.every((value) => value === null) ? { type: 'null' } : inferSchema(values)
  const types = [schema.type ?? []].flat()
  const further = [seen.type ?? []].flat().filter((type) => !types.includes(type))
  const isPlain = site === pointer && types.length > 0 && further.length > 0
  const combining = ['enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', simulatedValues]
  if (isPlain && !combining.some((name) => name in schema))
    return success([{ kind: 'set', pointer: joinPointer(site, 'type'), value: [...types, ...further] }])
  if (!isObject(valueAt(document, site.slice(0, site.lastIndexOf('/')))))
    return failure('Its schema is a part of a combination, which is not changed.')
  const { anyOf } = schema
  if (Array.isArray(anyOf) && site === pointer)
    return success([{ kind: 'append', pointer: joinPointer(site, 'anyOf'), value: seen }])
  return success([{ kind: 'set', pointer: site, value: { anyOf: [schema, seen] } }])
}
