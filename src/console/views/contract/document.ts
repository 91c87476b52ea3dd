import type { Schema } from '../../api/ask.ts'
import { basePath } from '../../store/server.ts'
import type { CurlRequest } from '../../ui/empty.tsx'
import { memberPointer, unescapeName } from '../../ui/json-tree.tsx'
import { type JsonRecord, objectOf, textOrEmpty } from '../../ui/text.tsx'

/** An object of the contract document. Its members are unknown, since any document can be loaded. */
export type ContractNode = JsonRecord

/**
 * Replaces all references in a node with their targets, and recursive ones with an empty object. Members beside a
 * reference win, but the assumptions of both apply.
 */
function resolveAll(document: ContractNode, node: unknown, within: readonly string[] = []): unknown {
  if (Array.isArray(node)) return node.map((item) => resolveAll(document, item, within))
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(node).map(([name, member]) => [name, resolveAll(document, member, within)])
  const { $ref, ...own }: ContractNode = Object.fromEntries(members)
  if (typeof $ref !== 'string') return $ref === undefined ? own : { ...own, $ref }
  if (within.includes($ref)) return {}
  const names = $ref.split('/').slice(1).map(unescapeName)
  const found = names.reduce<unknown>((at, name) => objectOf(at)[name], document)
  const target = objectOf(resolveAll(document, found, [...within, $ref]))
  return { ...target, ...own, assumptions: [...assumptionsOf(target), ...assumptionsOf(own)] }
}

function flattenSchema(node: unknown): ContractNode {
  const schema = objectOf(node)
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword]))
  if (combined.length === 0) return schema
  const all = [...combined.map(flattenSchema), schema]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => part['properties'])),
    required: all.flatMap((part) => listOf(part['required'])),
    enum: all.flatMap((part) => listOf(part['enum'])),
  }
}

/** Returns the item schema of an array, with its pointer; any other schema unchanged. */
function enterArray(schema: ContractNode, pointer: string): [ContractNode, string] {
  if (schema['items'] === undefined) return [schema, pointer]
  return enterArray(flattenSchema(schema['items']), `${pointer}/*`)
}

/** Returns the assumptions of a node, including those inherited through a reference. */
function assumptionsOf({ assumptions, 'x-assumption': own }: ContractNode): string[] {
  const inherited = listOf(assumptions).map(String)
  return typeof own === 'string' ? [...new Set([...inherited, own.trim()])] : inherited
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the members of an object that are objects; empty for any other value. */
const entriesOf = (value: unknown) =>
  Object.entries(objectOf(value)).map(([name, member]) => [name, objectOf(member)] as const)

export type DocumentedField = ReturnType<typeof describeField>

/** Lists the fields of a flat schema, each with its inner fields. The prefix of labels is `body ` in a request. */
function listFields(schema: ContractNode, prefix: string, pointer = ''): DocumentedField[] {
  const required = listOf(schema['required'])
  const named = entriesOf(schema['properties']).flatMap(([key, node]) => {
    const member = flattenSchema(node)
    const place = memberPointer(pointer, key)
    const [inner, innerPlace] = enterArray(member, place)
    const field = { ...describeField(member, place, prefix), isRequired: required.includes(key) }
    return [field, ...listFields(inner, prefix, innerPlace)]
  })
  if (schema['additionalProperties'] === undefined) return named
  // Fields with any other name are shown only if the contract describes them.
  const open = flattenSchema(schema['additionalProperties'])
  const field = describeField(open, memberPointer(pointer, 'any other name'), '')
  return field.description === '' && field.assumptions.length === 0 ? named : [...named, { ...field, items: [] }]
}

/** Describes a field. `pointer`: its JSON pointer, with a star for the items of an array; empty for a parameter. */
function describeField(schema: ContractNode, pointer: string, prefix: string) {
  const [inner] = enterArray(schema, pointer)
  // Coverage names a field without the stars of arrays: `dataPoints.date`.
  const parts = pointer.split('/').filter((part) => part !== '' && part !== '*')
  const name = parts.map(unescapeName).join('.')
  const label = prefix + name
  const values = ['null', 'not null', ...listOf(inner['enum']).map(String)]
  return {
    /** `components.content`, or `period`. */
    name,
    /** The location of a parameter: `query`; empty for a field. */
    place: '',
    pointer,
    type: typeOf(schema),
    isRequired: false,
    description: textOrEmpty(schema['description']),
    assumptions: [...new Set([...assumptionsOf(schema), ...assumptionsOf(inner)])],
    /** The items of coverage by their labels: `query period=7d`. */
    items: [{ label, text: 'sent' }, ...values.map((text) => ({ label: `${label}: ${text}`, text }))],
    sample: sampleOf(schema),
  }
}

/** Returns the type in a few words: `array of string`, `number or null, 0 to 1`. */
function typeOf({ type, format, items, minimum, maximum, default: standard }: ContractNode): string {
  const names = [type].flat().map((name) => {
    if (name === 'array') return `array of ${typeOf(flattenSchema(items))}`
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

function sampleOf(schema: ContractNode): unknown {
  const { const: only, enum: listed, type, format, items, minimum, maximum, required, properties } = schema
  const [name] = [type].flat()
  const below = (node: unknown) => sampleOf(flattenSchema(node))
  if (only !== undefined) return only
  if (listOf(listed).length > 0) return listOf(listed)[0]
  if (name === 'array') return [below(items)]
  if (name === 'object')
    return Object.fromEntries(listOf(required).map((key) => [key, below(objectOf(properties)[String(key)])]))
  if (name === 'boolean') return true
  if (name === 'number' || name === 'integer') return maximum ?? minimum ?? 1
  return formats[textOrEmpty(format)] ?? 'any text'
}

export type DocumentedOperation = ReturnType<typeof listOperations>[number]

export function listOperations(document: ContractNode) {
  return entriesOf(resolveAll(document, document['paths'])).flatMap(([path, node]) =>
    entriesOf(node)
      .filter(([, { operationId }]) => typeof operationId === 'string')
      .map(([method, operation]) => {
        const { operationId, summary, description, parameters, requestBody, responses } = operation
        return {
          id: textOrEmpty(operationId),
          method: method.toUpperCase(),
          path,
          summary: textOrEmpty(summary),
          description: textOrEmpty(description),
          assumptions: assumptionsOf(operation),
          parameters: [node['parameters'], parameters].flatMap(listOf).map(describeParameter),
          body: requestBody === undefined ? undefined : describeBody(requestBody, 'body '),
          responses: entriesOf(responses).map(([status, one]) => ({ status, ...describeBody(one, '') })),
        }
      }),
  )
}

function describeBody(node: unknown, prefix: string) {
  const own = objectOf(node)
  const media = objectOf(Object.values(objectOf(own['content']))[0])
  const schema = flattenSchema(media['schema'])
  return {
    description: textOrEmpty(own['description']),
    assumptions: [...new Set([...assumptionsOf(own), ...assumptionsOf(schema)])],
    fields: listFields(schema, prefix),
    examples: entriesOf(media['examples']).map(([, { value }]) => value),
  }
}

function describeParameter(node: unknown): DocumentedField {
  const { in: place, name, required, schema, examples, example, description, ...own } = objectOf(node)
  const flat = flattenSchema(schema)
  const field = describeField(flat, '', '')
  const label = `${place} ${name}`
  const [first] = entriesOf(examples)
  return {
    ...field,
    name: String(name),
    place: String(place),
    isRequired: required === true,
    description: textOrEmpty(description) || field.description,
    assumptions: [...assumptionsOf(own), ...field.assumptions],
    items: [
      { label, text: 'sent' },
      ...listOf(flat['enum']).map((value) => ({ label: `${label}=${value}`, text: String(value) })),
    ],
    sample: example ?? first?.[1]['value'] ?? field.sample,
  }
}

/** Returns a request that would cover an item of an operation. */
export function requestThatShows(
  { method, path: template, parameters, body }: DocumentedOperation,
  { point, headers, path }: Schema<'MissingPoint'>,
): CurlRequest {
  const isPoint = ({ place, name }: DocumentedField) => place === point.in && name === point.name
  const values = (place: string) =>
    parameters
      .filter((one) => one.place === place && (one.isRequired || isPoint(one)))
      .map((one): [string, string] => [one.name, String((isPoint(one) ? point.value : undefined) ?? one.sample)])
  const filled = values('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    template,
  )
  const query = new URLSearchParams(values('query')).toString()
  return {
    method,
    path: path === undefined ? filled + (query && `?${query}`) : path.slice(basePath.value.length),
    headers: { ...Object.fromEntries(values('header')), ...headers },
    ...(body && { body: bodyWith(body, point) }),
  }
}

/** Returns the first example of a body with the item's member or value inserted. */
function bodyWith(
  { examples, fields }: NonNullable<DocumentedOperation['body']>,
  { kind, pointer, value }: Schema<'MissingPoint'>['point'],
): unknown {
  const required = fields.filter(({ pointer, isRequired }) => isRequired && pointer.lastIndexOf('/') === 0)
  const plain = examples[0] ?? Object.fromEntries(required.map(({ name, sample }) => [name, sample]))
  if (pointer === undefined || !kind.startsWith('field')) return plain
  const sample = fields.find((field) => field.pointer === pointer)?.sample
  return withMember(plain, pointer.split('/').slice(1), value ?? sample)
}

function withMember(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member
  if (name !== '*') return { ...objectOf(value), [name]: withMember(objectOf(value)[name], rest, member) }
  const [first, ...others] = Array.isArray(value) ? value : []
  return [withMember(first, rest, member), ...others]
}
