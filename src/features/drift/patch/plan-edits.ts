import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Edit } from '../../../base/documents/edit.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import { isJson } from '../../../service/contract/media-types.ts'
import { resolve } from '../../../service/contract/resolve.ts'
import { simulatedValues } from '../../../service/contract/simulated-values.ts'
import type { DriftFinding } from '../judge/finding.ts'
import { isAboutMember } from '../observe/observation.ts'
import { findHeaders } from '../observe/observe-head.ts'
import {
  type DocumentPlace,
  findBodySchema,
  findChild,
  findOperation,
  findResponse,
  findSchema,
  listPartPointers,
} from '../observe/places.ts'
import { inferSchema } from './infer-schema.ts'

/** The changes of a document, or a sentence that says why there are none. */
type PlannedEdits = Result<readonly Edit[]>

const setAt = (pointer: string, value: Json): Edit => ({ kind: 'set', pointer, value })

/**
 * Plans the changes of a document after which it allows what a finding shows. They loosen the rules that are there, and
 * a new field is optional, so simulated responses still pass.
 */
export function planEdits(document: JsonObject, finding: DriftFinding): PlannedEdits {
  const { operation, status, pointer, kind, values } = finding
  if (kind === 'broken-json') return failure('A body that is no JSON is a fault of the service; no contract allows it.')
  if (kind === 'undocumented-status') return addStatus(document, finding)
  const response = findResponse(document, operation, status)
  if (kind === 'content-type' && response) return addMediaType(response, finding)
  if (kind === 'header') return loosenHeader(document, finding)
  const isMember = isAboutMember(kind)
  const path = isMember ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer
  const place = findSchema(document, operation, status, path)
  if (!place) return failure('The contract has no schema at its place.')
  if (isMember) return planMember(document, place.pointer, finding)
  if (kind === 'enum-value' && values.some((value) => JSON.stringify(value).includes(redacted)))
    return failure('The value looks like a credential. It is redacted, so the patch cannot name it.')
  return planValue(document, place, finding)
}

/** Adds a response with the schema of one of the same class that the bodies fit, or else with their types. */
function addStatus(document: JsonObject, { operation, status, values }: DriftFinding): PlannedEdits {
  const pointer = findOperation(document, operation)
  if (pointer === undefined) return failure('The contract does not have the operation any more.')
  const alike = operation.statuses.find(
    (other) =>
      Math.floor(other / 100) === Math.floor(status / 100) &&
      values.length > 0 &&
      values.every((body) => operation.checkResponse(other, body).length === 0),
  )
  const response = alike === undefined ? undefined : findResponse(document, operation, alike)
  const known = response && findBodySchema(response)
  // A reference stays one.
  const schema = known === undefined ? inferSchema(values) : structuredClone(valueAt(document, known) ?? {})
  const content: JsonObject = values.length > 0 ? { content: { 'application/json': { schema } } } : {}
  const added = { description: 'Seen by convsim drift.', ...content }
  return success([setAt(joinPointer(pointer, 'responses', status), added)])
}

function addMediaType({ pointer, value }: DocumentPlace, { detail }: DriftFinding): PlannedEdits {
  const mediaType = (detail.split(';')[0] ?? '').trim()
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType))
    return failure('The response has no media type that could be documented.')
  const content = isObject(value.content) ? value.content : {}
  const known = content[Object.keys(content).find(isJson) ?? '']
  const schema = isJson(mediaType) && isObject(known) ? known.schema : undefined
  const media = schema === undefined ? {} : { schema }
  return success([setAt(joinPointer(pointer, 'content', mediaType), media)])
}

function loosenHeader(document: JsonObject, { operation, status, detail, keyword }: DriftFinding): PlannedEdits {
  const header = findHeaders(document, operation, status)?.find(({ name }) => name === detail)
  if (!header) return failure('The contract does not have the header any more.')
  if (keyword === 'required') return success([setAt(joinPointer(header.pointer, 'required'), false)])
  const found = resolve(document, joinPointer(header.pointer, 'schema'))
  if (!found) return failure('The header has no schema.')
  const { type, enum: values } = found.value
  if (Array.isArray(values)) return success([{ kind: 'remove', pointer: joinPointer(found.pointer, 'enum') }])
  return success([setAt(joinPointer(found.pointer, 'type'), [...[type ?? []].flat(), 'string'])])
}

/** Plans the changes for a member of an object: optional, new, or under another name. */
function planMember(
  document: JsonObject,
  owner: string,
  { kind, pointer, detail, seen, of, values }: DriftFinding,
): PlannedEdits {
  const name = parsePointer(pointer).at(-1) ?? ''
  if (kind === 'new-field') return success([addProperty(document, owner, name, inferSchema(values))])
  const edits = [owner, ...listPartPointers(document, owner)].flatMap((part) => makeOptional(document, part, name))
  const site = findChild(document, owner, name)
  // A field that is no more is marked, so that a later comparison does not miss it.
  if (site !== undefined && seen === of) edits.push(setAt(joinPointer(site, 'deprecated'), true))
  if (kind === 'renamed-field') {
    const schema = site === undefined ? undefined : valueAt(document, site)
    const renamed = isObject(schema) ? copySchema(schema) : inferSchema(values)
    edits.push(addProperty(document, owner, detail, renamed))
  }
  return edits.length > 0 ? success(edits) : failure('The rule that demands it cannot be found in the contract.')
}

/** Returns a copy of a schema for another property, without what was said about the first. */
function copySchema(schema: JsonObject): JsonObject {
  const { deprecated: _deprecated, 'x-assumption': _assumption, ...others } = schema
  return others
}

function addProperty(document: JsonObject, owner: string, name: string, schema: JsonObject): Edit {
  const parts = [owner, ...listPartPointers(document, owner)].flatMap((part) => resolve(document, part) ?? [])
  const part = parts.find(({ value }) => isObject(value.properties))
  if (part) return setAt(joinPointer(part.pointer, 'properties', name), schema)
  return setAt(joinPointer(owner, 'properties'), { [name]: schema })
}

/** Returns the changes after which a schema, and the simulator's narrower rules beside it, do not demand a member. */
function makeOptional(document: JsonObject, site: string, name: string): Edit[] {
  const found = resolve(document, site)
  if (!found) return []
  const owners = [found.pointer, joinPointer(found.pointer, simulatedValues)]
  return owners.flatMap((owner): Edit[] => {
    const pointer = joinPointer(owner, 'required')
    const required = valueAt(document, pointer)
    const isDemanded = Array.isArray(required) && required.includes(name)
    return isDemanded ? [{ kind: 'remove-item', pointer, value: name }] : []
  })
}

/** Plans the changes for a value: another type, null, a further value of a list, or a rule less. */
function planValue(document: JsonObject, place: DocumentPlace, finding: DriftFinding): PlannedEdits {
  const { kind, keyword, isSimulated, values } = finding
  const rules = isSimulated ? joinPointer(place.pointer, simulatedValues) : place.pointer
  const schema = valueAt(document, rules)
  const isHere = isObject(schema) && keyword in schema
  const pointer = joinPointer(rules, keyword)
  if (kind === 'enum-value' && keyword === 'enum' && isHere)
    return success(values.slice(0, 1).map((value) => ({ kind: 'append', pointer, value })))
  const isReference = place.site !== place.pointer
  const isRemovable =
    isSimulated ||
    kind === 'no-enum' ||
    kind === 'enum-value' ||
    ((kind === 'format' || kind === 'constraint') && !isReference)
  return isHere && isRemovable ? success([{ kind: 'remove', pointer }]) : widen(document, place, values)
}

/** Plans the changes after which a schema also takes the types that were seen. A shared schema stays for others. */
function widen(document: JsonObject, { site, pointer }: DocumentPlace, values: readonly Json[]): PlannedEdits {
  const schema = valueAt(document, site)
  if (!isObject(schema)) return failure('The contract has no schema at its place.')
  // Nothing but null is told here, where `inferSchema` leaves everything open.
  const seen = values.every((value) => value === null) ? { type: 'null' } : inferSchema(values)
  const types = [schema.type ?? []].flat()
  const further = [seen.type ?? []].flat().filter((type) => !types.includes(type))
  const isPlain = site === pointer && types.length > 0 && further.length > 0
  const combining = ['enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', simulatedValues]
  if (isPlain && !combining.some((name) => name in schema))
    return success([setAt(joinPointer(site, 'type'), [...types, ...further])])
  if (!isObject(valueAt(document, site.slice(0, site.lastIndexOf('/')))))
    return failure('Its schema is a part of a combination, which is not changed.')
  if (Array.isArray(schema.anyOf) && site === pointer)
    return success([{ kind: 'append', pointer: joinPointer(site, 'anyOf'), value: seen }])
  return success([setAt(site, { anyOf: [schema, seen] })])
}
