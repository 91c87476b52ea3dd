import { memberPointer, unescapeName } from '../../ui/json-tree.tsx'
import { type JsonRecord, objectOf, textOrEmpty } from '../../ui/text.tsx'

/** An object of the contract document. Its members are unknown, since any document can be loaded. */
export type ContractNode = JsonRecord

/** Follows the reference of a node. Members beside the reference win, but the assumptions of both hold. */
export function resolveNode(document: ContractNode, node: unknown): ContractNode {
  const { $ref, ...own } = objectOf(node)
  if (typeof $ref !== 'string') return own
  const names = $ref.split('/').slice(1).map(unescapeName)
  const found = names.reduce<unknown>((at, name) => objectOf(at)[name], document)
  const target = resolveNode(document, found)
  return { ...target, ...own, assumptions: [...assumptionsOf(target), ...assumptionsOf(own)] }
}

/** Returns a schema with the members of all that it combines. */
export function flattenSchema(document: ContractNode, node: unknown): ContractNode {
  const schema = resolveNode(document, node)
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword]))
  if (combined.length === 0) return schema
  const all = [...combined.map((part) => flattenSchema(document, part)), schema]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => part['properties'])),
    required: all.flatMap((part) => listOf(part['required'])),
    enum: all.flatMap((part) => listOf(part['enum'])),
  }
}

/** Returns the schema in an array of a flat schema, with its pointer; for any other schema itself. */
function enterArray(document: ContractNode, schema: ContractNode, pointer: string): [ContractNode, string] {
  if (schema['items'] === undefined) return [schema, pointer]
  return enterArray(document, flattenSchema(document, schema['items']), `${pointer}/*`)
}

/** Returns the assumptions of a node, and those that it has from a reference. */
export function assumptionsOf({ assumptions, 'x-assumption': own }: ContractNode): string[] {
  const inherited = listOf(assumptions).map(String)
  return typeof own === 'string' ? [...new Set([...inherited, own.trim()])] : inherited
}

/** Returns a value that is a list; empty for any other. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the members of an object that are objects; empty for any other value. */
export const entriesOf = (value: unknown) =>
  Object.entries(objectOf(value)).map(([name, member]) => [name, objectOf(member)] as const)

/** A state in which a client can meet a parameter or field. */
export interface DocumentedItem {
  /** The label that coverage gives it: `query period=7d`. */
  readonly label: string
  /** The words beside the parameter or field: `7d`. */
  readonly text: string
}

export interface DocumentedField {
  /** `period`, or `components.content`. */
  readonly name: string
  /** The place of a parameter: `query`; undefined for a field. */
  readonly place?: string
  /** JSON pointer with a star for the items of an array; empty for a parameter. */
  readonly pointer: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  readonly assumptions: readonly string[]
  readonly items: readonly DocumentedItem[]
  /** A value that the contract allows. */
  readonly sample: unknown
}

/** The deepest field that is shown; a schema that contains itself would have no end. */
const maxDepth = 8

/** Lists the fields of a flat schema, each with the fields within it. The prefix of labels is `body ` in a request. */
export function listFields(
  document: ContractNode,
  schema: ContractNode,
  prefix: string,
  pointer = '',
  depth = 0,
): DocumentedField[] {
  if (depth > maxDepth) return []
  const required = listOf(schema['required'])
  const named = entriesOf(schema['properties']).flatMap(([key, node]) => {
    const member = flattenSchema(document, node)
    const place = memberPointer(pointer, key)
    const [inner, innerPlace] = enterArray(document, member, place)
    const field = { ...describeField(document, member, place, prefix), isRequired: required.includes(key) }
    return [field, ...listFields(document, inner, prefix, innerPlace, depth + 1)]
  })
  if (schema['additionalProperties'] === undefined) return named
  // The fields without a name are shown where the contract says something about them.
  const open = flattenSchema(document, schema['additionalProperties'])
  const field = describeField(document, open, memberPointer(pointer, 'any other name'), '')
  return field.description === '' && field.assumptions.length === 0 ? named : [...named, { ...field, items: [] }]
}

export function describeField(
  document: ContractNode,
  schema: ContractNode,
  pointer: string,
  prefix: string,
): DocumentedField {
  const [inner] = enterArray(document, schema, pointer)
  // Coverage names a field without the stars of arrays: `dataPoints.date`.
  const parts = pointer.split('/').filter((part) => part !== '' && part !== '*')
  const name = parts.map(unescapeName).join('.')
  const label = prefix + name
  const values = ['null', 'not null', ...listOf(inner['enum']).map(String)]
  return {
    name,
    pointer,
    type: typeOf(document, schema),
    isRequired: false,
    description: textOrEmpty(schema['description']),
    assumptions: [...new Set([...assumptionsOf(schema), ...assumptionsOf(inner)])],
    items: [{ label, text: 'sent' }, ...values.map((text) => ({ label: `${label}: ${text}`, text }))],
    sample: sampleOf(document, schema),
  }
}

/** Returns the type in a few words: `array of string`, `number or null, 0 to 1`. */
function typeOf(document: ContractNode, schema: ContractNode): string {
  const { type, format, items, minimum, maximum, default: standard } = schema
  const names = [type].flat().map((name) => {
    if (name === 'array') return `array of ${typeOf(document, flattenSchema(document, items))}`
    return name === 'string' ? textOrEmpty(format) || name : (name ?? 'any')
  })
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return names.join(' or ') + range + (standard === undefined ? '' : `, default ${standard}`)
}

const formats: Readonly<Record<string, string>> = {
  uuid: '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75',
  'date-time': '2026-01-15T12:00:00Z',
  'iso-8601': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
}

/** Returns a value that a flat schema allows. */
function sampleOf(document: ContractNode, schema: ContractNode, depth = 0): unknown {
  const { const: only, enum: listed, type, format, items, minimum, maximum, required, properties } = schema
  const [name] = [type].flat()
  const below = (node: unknown) => sampleOf(document, flattenSchema(document, node), depth + 1)
  if (only !== undefined || depth > maxDepth) return only ?? null
  if (listOf(listed).length > 0) return listOf(listed)[0]
  if (name === 'array') return [below(items)]
  if (name === 'object')
    return Object.fromEntries(listOf(required).map((key) => [key, below(objectOf(properties)[String(key)])]))
  if (name === 'boolean') return true
  if (name === 'number' || name === 'integer') return maximum ?? minimum ?? 1
  return formats[textOrEmpty(format)] ?? 'any text'
}
