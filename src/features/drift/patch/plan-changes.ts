import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import { bareMediaType, isJson } from '../../../service/contract/media-types.ts'
import { resolve } from '../../../service/contract/resolve.ts'
import { simulatedValues } from '../../../service/contract/simulated-values.ts'
import type { DriftFinding } from '../judge/finding.ts'
import { isAboutMember } from '../observe/observe.ts'
import {
  type DocumentPlace,
  findHeaders,
  findJsonMedia,
  findResponse,
  findSchema,
  listPartPointers,
  nameOf,
  parentOf,
} from '../observe/places.ts'

/** The OpenAPI Overlay 1.1 actions that make one change to the contract. */
export type ContractChange = readonly JsonObject[]

type PlannedChanges = Result<readonly ContractChange[]>

/** Plans changes that make a document allow what a finding shows. They forbid nothing that was allowed before. */
export function planChanges(document: JsonObject, finding: DriftFinding): PlannedChanges {
  const { operation, status, pointer, kind, detail, values } = finding
  if (kind === 'broken-json') return failure('Broken or missing JSON is a service error, which no contract can allow.')
  if (kind === 'undocumented-status') return success([addStatus(finding)])
  const response = findResponse(document, operation, status)
  if (kind === 'content-type' && response) return addMediaType(response, detail)
  if (kind === 'header') return loosenHeader(document, finding)
  const isMember = isAboutMember(kind)
  const place = findSchema(document, operation, status, isMember ? parentOf(pointer) : pointer)
  if (!place) return failure('The contract has no schema for this value.')
  if (isMember) return planMember(document, place.pointer, finding)
  if (kind === 'enum-value' && values.some((value) => JSON.stringify(value).includes(redacted)))
    return failure('A value looks like a credential. It is redacted, so the patch cannot name it.')
  return planValue(document, place, finding)
}

function addStatus({ operation, status, values }: DriftFinding): ContractChange {
  const content = values.length > 0 && { content: { 'application/json': { schema: inferSchema(values) } } }
  const response = { description: 'Seen by convsim drift.', ...content }
  return merge(joinPointer(operation.pointer, 'responses'), { [status]: response })
}

function addMediaType(response: DocumentPlace, contentType: string): PlannedChanges {
  const mediaType = bareMediaType(contentType)
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) return failure('The response has no valid media type to document.')
  const schema = isJson(mediaType) ? findJsonMedia(response)?.value.schema : undefined
  return success([merge(response.pointer, { content: { [mediaType]: schema === undefined ? {} : { schema } } })])
}

function loosenHeader(document: JsonObject, { operation, status, detail, keyword }: DriftFinding): PlannedChanges {
  const header = findHeaders(document, operation, status).find(({ name }) => name === detail)
  if (!header) return failure('The contract no longer has the header.')
  if (keyword === 'required') return success([merge(header.pointer, { required: false })])
  return success([replace(joinPointer(header.pointer, 'schema'), {})])
}

function planMember(document: JsonObject, owner: string, { kind, pointer, values }: DriftFinding): PlannedChanges {
  const name = nameOf(pointer)
  if (kind === 'new-field') return success([addProperty(document, owner, name, inferSchema(values))])
  const changes = [owner, ...listPartPointers(document, owner)].flatMap((part) => makeOptional(document, part, name))
  return changes.length > 0 ? success(changes) : failure('No "required" list in the object schema names the field.')
}

function addProperty(document: JsonObject, owner: string, name: string, schema: JsonObject): ContractChange {
  const parts = [owner, ...listPartPointers(document, owner)].flatMap((part) => resolve(document, part) ?? [])
  const part = parts.find(({ value }) => isObject(value.properties))
  return merge(part?.pointer ?? owner, { properties: { [name]: schema } })
}

/** Returns changes that make a member optional in a schema, and in the schema's narrower rules for the simulator. */
function makeOptional(document: JsonObject, site: string, name: string): ContractChange[] {
  const found = resolve(document, site)
  const owners = found ? [found.pointer, joinPointer(found.pointer, simulatedValues)] : []
  return owners.flatMap((owner): ContractChange[] => {
    const pointer = joinPointer(owner, 'required')
    const required = valueAt(document, pointer)
    const target = `${toJsonPath(pointer)}[?@ == ${quoteForJsonPath(name)}]`
    return Array.isArray(required) && required.includes(name) ? [[{ target, remove: true }]] : []
  })
}

/** Plans the change for a value: adds enum values, removes a rule, or widens the schema only at this place. */
function planValue(document: JsonObject, place: DocumentPlace, finding: DriftFinding): PlannedChanges {
  const { kind, keyword, isSimulated, values } = finding
  const rules = isSimulated ? joinPointer(place.pointer, simulatedValues) : place.pointer
  const schema = valueAt(document, rules)
  const hasKeyword = isObject(schema) && keyword in schema
  if (hasKeyword && kind === 'enum-value' && keyword === 'enum')
    return success([merge(joinPointer(rules, keyword), [...values])])
  const isRemovable = kind !== 'null' && kind !== 'wrong-type' && place.site === place.pointer
  return hasKeyword && (isSimulated || isRemovable)
    ? success([remove(joinPointer(rules, keyword))])
    : widen(document, place, values)
}

function widen(document: JsonObject, { site, pointer }: DocumentPlace, values: readonly Json[]): PlannedChanges {
  const schema = valueAt(document, site)
  if (!isObject(schema)) return failure('The contract has no schema for this value.')
  // If all values are null, `inferSchema` would return a schema that allows everything.
  const seen = values.every((value) => value === null) ? { type: 'null' } : inferSchema(values)
  const types = [schema.type ?? []].flat()
  const further = [seen.type ?? []].flat().filter((type) => !types.includes(type))
  const isPlain = site === pointer && types.length > 0 && further.length > 0
  const combining = ['enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', simulatedValues]
  if (isPlain && !combining.some((name) => name in schema))
    return success([replace(joinPointer(site, 'type'), [...types, ...further])])
  if (!isObject(valueAt(document, parentOf(site))))
    return failure('The schema of this value is in an allOf, anyOf or oneOf, which a patch does not change.')
  return success([replace(site, { anyOf: [schema, seen] })])
}

/** The maximum number of distinct member names. Objects with more names in total are treated as dictionaries. */
const maxNames = 200

/** Infers a schema from values. The schema is empty if all values are null. */
function inferSchema(values: readonly Json[]): JsonObject {
  if (values.every((value) => value === null)) return {}
  const types = [...new Set(values.map(jsonTypeOf))].sort()
  const objects = values.filter(isObject)
  const items = values.filter(Array.isArray).flat()
  return {
    type: types.length === 1 ? (types[0] ?? '') : types,
    ...(objects.length > 0 && inferProperties(objects)),
    ...(items.length > 0 && { items: inferSchema(items) }),
  }
}

function inferProperties(objects: readonly JsonObject[]): JsonObject {
  const members = groupBy(objects.flatMap(Object.entries<Json>), ([name]) => name)
  if (members.size > maxNames) return {}
  const schemas = [...members].map(([name, named]) => [name, inferSchema(named.map(([, value]) => value))])
  return { properties: Object.fromEntries(schemas) }
}

function jsonTypeOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Merges an update into the value at a JSON Pointer, or appends the update if the value is an array. */
const merge = (pointer: string, update: Json): ContractChange => [{ target: toJsonPath(pointer), update }]

const remove = (pointer: string): ContractChange => [{ target: toJsonPath(pointer), remove: true }]

/** Replaces a member. Without the removal, the update would be merged into the current value. */
const replace = (pointer: string, value: Json): ContractChange => [
  ...remove(pointer),
  ...merge(parentOf(pointer), { [nameOf(pointer)]: value }),
]

/** Converts a JSON Pointer to JSONPath: `$.paths['/models/{modelId}/analytics'].get`. */
function toJsonPath(pointer: string): string {
  const steps = parsePointer(pointer).map((token, at, tokens) => {
    if (/^[A-Za-z_]\w*$/.test(token)) return `.${token}`
    const isIndex = /^\d+$/.test(token) && /^(allOf|anyOf|oneOf)$/.test(tokens[at - 1] ?? '')
    return `[${isIndex ? token : quoteForJsonPath(token)}]`
  })
  return `$${steps.join('')}`
}

const quoteForJsonPath = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
