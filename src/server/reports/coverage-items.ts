import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../base/core/json-pointer.ts'
import type { DescribedParameter, Operation } from '../../service/contract/contract.ts'
import { listParts, listSchemaParts, mergeProperties } from '../../service/contract/schema-parts.ts'
import type { LiveExchange } from '../journal/entry.ts'

/** A part of the contract that a client can cover: part of a response if `status` is set, else part of a request. */
export interface CoverageItem {
  /** The display name, such as `429`, `query period=7d`, `body valueType: currency` or `recommendations: null`. */
  readonly label: string
  readonly kind:
    | 'status'
    | 'parameter'
    | 'parameter-value'
    | 'field'
    | 'field-value'
    | 'response-value'
    | 'null'
    | 'not-null'
  readonly status?: number
  readonly in?: DescribedParameter['in']
  readonly name?: string
  readonly pointer?: string
  readonly value?: EnumValue
}

export class OperationItems {
  readonly operation: Operation
  readonly items = new Map<string, CoverageItem>()
  readonly #body: ValueReader
  readonly #parameters: ReadonlyMap<DescribedParameter, ValueReader>
  readonly #responses: ReadonlyMap<number, ValueReader>

  constructor(operation: Operation) {
    this.operation = operation
    for (const status of operation.statuses) this.#add({ label: String(status), kind: 'status', status })
    this.#parameters = new Map(operation.parameters.map((parameter) => [parameter, this.#addParameter(parameter)]))
    this.#body = this.#addBody()
    this.#responses = new Map(operation.statuses.map((status) => [status, this.#addResponse(status)]))
  }

  #add(item: CoverageItem, key = item.label): void {
    this.items.set(key, item)
  }

  #addParameter({ in: part, name, schema }: DescribedParameter): ValueReader {
    const label = `${part} ${name}`
    this.#add({ label, kind: 'parameter', in: part, name })
    const reader = new ValueReader(label, schema, ['value'], 'readOnly')
    for (const [key, { pointer, value = '' }] of reader.items) {
      const itemLabel = `${[label, fieldName(pointer)].filter(Boolean).join('.')}=${value}`
      this.#add({ label: itemLabel, kind: 'parameter-value', in: part, name, ...(pointer && { pointer }), value }, key)
    }
    return reader
  }

  #addBody(): ValueReader {
    const reader = new ValueReader('body', this.operation.bodySchema(), ['field', 'value'], 'readOnly')
    for (const [key, { pointer, value }] of reader.items) {
      const label = `body ${fieldName(pointer)}`
      if (value === undefined) this.#add({ label, kind: 'field', pointer }, key)
      else this.#add({ label: `${label}: ${value}`, kind: 'field-value', pointer, value }, key)
    }
    return reader
  }

  #addResponse(status: number): ValueReader {
    const schema = this.operation.responseSchema(status)
    const reader = new ValueReader(`${status}`, schema, ['null', 'not-null', 'value'], 'writeOnly')
    for (const [key, { kind, ...rest }] of reader.items) {
      const label = `${fieldName(rest.pointer)}: ${rest.value ?? kind.replace('-', ' ')}`
      this.#add({ label, kind: kind === 'value' ? 'response-value' : kind, status, ...rest }, key)
    }
    return reader
  }

  /** Returns the keys of the items that an accepted request covers. */
  keysOfRequest({ rawParameters, parameters, requestBody }: LiveExchange): string[] {
    const keys = requestBody === undefined ? [] : this.#body.read(requestBody)
    const sentParameters = [...this.#parameters].filter(([parameter]) => parameter.isIn(rawParameters[parameter.in]))
    const needsValues = sentParameters.some(([, reader]) => reader.items.size > 0)
    const values = needsValues ? (parameters ?? this.operation.readParameters(rawParameters).values) : undefined
    for (const [{ in: part, name }, reader] of sentParameters)
      keys.push(`${part} ${name}`, ...reader.read(values?.[part][name]))
    return keys
  }

  keysOfResponse(status: number, body: Json | undefined): string[] {
    const reader = this.#responses.get(status)
    return reader ? [String(status), ...reader.read(body)] : []
  }
}

/** Formats a pointer as the field name that scenarios use, without `*` tokens: `dataPoints.avgSafetyScore`. */
export function fieldName(pointer: string): string {
  return parsePointer(pointer)
    .filter((token) => token !== '' && token !== '*')
    .join('.')
}

type EnumValue = string | number | boolean

/** A part of a schema that a value can cover. The pointer has a `*` for array items and additional properties. */
interface SchemaItem {
  /** `field`: a named property; `null` and `not-null`: the two cases of a nullable value; `value`: an enum value. */
  readonly kind: 'field' | 'null' | 'not-null' | 'value'
  readonly pointer: string
  readonly value?: EnumValue
}

/** The maximum depth of listed items. Without a limit, a recursive schema would be infinitely deep. */
const maxDepth = 12

/** Lists the items of a value's resolved schemas. `omitted`: the keyword (such as `readOnly`) of skipped properties. */
function* listSchemaItems(
  schemas: readonly JsonObject[],
  omitted: string,
  pointer = '',
  depth = 0,
): Generator<SchemaItem> {
  const subschemas = schemas.flatMap(listSchemaParts)
  if (isNullable(schemas)) yield* [{ kind: 'null', pointer } as const, { kind: 'not-null', pointer } as const]
  for (const value of listEnumValues(subschemas, schemas)) yield { kind: 'value', pointer, value }
  if (depth === maxDepth) return
  for (const [name, inner] of mergeProperties(subschemas)) {
    const propertyPointer = joinPointer(pointer, name)
    const isOmitted = inner.flatMap(listSchemaParts).some((schema) => omitted && schema[omitted] === true)
    if (inner.length === 0 || isOmitted) continue
    yield { kind: 'field', pointer: propertyPointer }
    yield* listSchemaItems(inner, omitted, propertyPointer, depth + 1)
  }
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = subschemas.map((schema) => schema[keyword] ?? null).filter(isObject)
    if (inner.length > 0) yield* listSchemaItems(inner, omitted, `${pointer}/*`, depth + 1)
  }
}

/** Returns the permitted values of `enum` and `const`; empty if there is only one, since there is no choice. */
function listEnumValues(subschemas: readonly JsonObject[], schemas: readonly JsonObject[]): readonly EnumValue[] {
  const all = subschemas.flatMap(({ enum: listed, const: only }) => [
    ...(Array.isArray(listed) ? listed : []),
    ...(only === undefined ? [] : [only]),
  ])
  const values = [...new Set(all.filter(isEnumValue))].filter((each) => schemas.some((schema) => permits(schema, each)))
  return values.length > 1 ? values : []
}

function isEnumValue(value: Json): value is EnumValue {
  return value !== null && typeof value !== 'object'
}

const isNullable = (schemas: readonly JsonObject[]) =>
  schemas.flatMap(listSchemaParts).some(namesNull) &&
  schemas.every((schema) => permits(schema, null) && permits(schema, anyNonNull))

const namesNull = ({ type, enum: listed }: JsonObject) =>
  [type].flat().includes('null') || (Array.isArray(listed) && listed.includes(null))

const anyNonNull = Symbol()

function hasType(type: Json, probe: EnumValue | null | typeof anyNonNull): boolean {
  if (type === 'null' || probe === null) return type === 'null' && probe === null
  return probe === anyNonNull || type === typeof probe || (type === 'integer' && Number.isInteger(probe))
}

function permits(schema: JsonObject, probe: EnumValue | null | typeof anyNonNull): boolean {
  const { type, enum: listed, const: only } = schema
  const fits = (value: Json) => (probe === anyNonNull ? value !== null : value === probe)
  if (type !== undefined && ![type].flat().some((name) => hasType(name, probe))) return false
  if (Array.isArray(listed) && !listed.some(fits)) return false
  if (only !== undefined && !fits(only)) return false
  if (!listParts(schema, 'allOf').every((inner) => permits(inner, probe))) return false
  return ['anyOf', 'oneOf'].every((keyword) => {
    const list = listParts(schema, keyword)
    return list.length === 0 || list.some((inner) => permits(inner, probe))
  })
}

/** The keys of the items at a pointer, and the nodes below it by name. `*`: array items and additional properties. */
interface SchemaNode {
  readonly keys: Map<SchemaItem['kind'], string>
  readonly values: Map<EnumValue, string>
  readonly members: Map<string, SchemaNode>
}

const createNode = (): SchemaNode => ({ keys: new Map(), values: new Map(), members: new Map() })

class ValueReader {
  /** The schema's items of the given kinds, by key, in schema order. */
  readonly items = new Map<string, SchemaItem>()
  readonly #root = createNode()

  /** `prefix`: the beginning of each key. `omitted`: see `listSchemaItems`. */
  constructor(prefix: string, schema: JsonObject | undefined, kinds: readonly SchemaItem['kind'][], omitted: string) {
    for (const item of schema ? listSchemaItems([schema], omitted) : []) {
      const { kind, pointer, value } = item
      if (!kinds.includes(kind)) continue
      const node = this.#nodeAt(pointer)
      const key = `${prefix} ${kind} ${pointer}${value === undefined ? '' : ` ${typeof value} ${value}`}`
      this.items.set(key, item)
      if (value === undefined) node.keys.set(kind, key)
      else node.values.set(value, key)
    }
  }

  #nodeAt(pointer: string): SchemaNode {
    let node = this.#root
    for (const name of parsePointer(pointer)) {
      const member = node.members.get(name) ?? createNode()
      node.members.set(name, member)
      node = member
    }
    return node
  }

  /** Returns the keys of the items that a value covers; a key can occur more than once. */
  read(value: Json | undefined): string[] {
    const keys: string[] = []
    if (value !== undefined) visit(value, this.#root, (key) => key !== undefined && keys.push(key))
    return keys
  }
}

type AddKey = (key: string | undefined) => void

function visit(value: Json, node: SchemaNode, addKey: AddKey): void {
  addKey(node.keys.get('field'))
  addKey(node.keys.get(value === null ? 'null' : 'not-null'))
  if (isEnumValue(value)) addKey(node.values.get(value))
  const wildcard = node.members.get('*')
  if (isObject(value)) visitMembers(value, node, addKey)
  else if (Array.isArray(value) && wildcard) for (const item of value) visit(item, wildcard, addKey)
}

function visitMembers(value: JsonObject, { members }: SchemaNode, addKey: AddKey): void {
  for (const [name, node] of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member !== undefined) visit(member, node, addKey)
  }
  const wildcard = members.get('*')
  if (!wildcard) return
  for (const [name, member] of Object.entries(value)) if (!members.has(name)) visit(member, wildcard, addKey)
}
