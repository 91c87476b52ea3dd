import type { Schema } from '../../api/call.ts'
import { basePath } from '../../store/server.ts'
import type { CurlRequest } from '../../ui/empty.tsx'
import { memberPointer, unescapeName } from '../../ui/json-tree.tsx'
import { type JsonRecord, objectOf, textOrEmpty } from '../../ui/text.tsx'

/** An object in the contract. Its members can be of any type, since users can load any document as the contract. */
export type ContractNode = JsonRecord

/**
 * Returns a copy of a node with each reference replaced by its target. A recursive reference becomes `{}`.
 * Members next to a reference override the target's members of the same name; assumptions are combined instead.
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

/** Returns the schema and pointer of an array's innermost items. Without `items`, returns the arguments unchanged. */
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

/** Returns an object's entries. Each value that is not an object becomes an empty object. */
const entriesOf = (value: unknown) =>
  Object.entries(objectOf(value)).map(([name, member]) => [name, objectOf(member)] as const)

export type DocumentedField = ReturnType<typeof describeField>

/** Lists the fields of a flattened schema, each followed by its inner fields. For `prefix`, see `describeField`. */
function listFields(schema: ContractNode, prefix: string, pointer = ''): DocumentedField[] {
  const required = listOf(schema['required'])
  const fields = entriesOf(schema['properties']).flatMap(([key, node]) => {
    const member = flattenSchema(node)
    const ownPointer = memberPointer(pointer, key)
    const [inner, innerPointer] = enterArray(member, ownPointer)
    const field = { ...describeField(member, ownPointer, prefix), isRequired: required.includes(key) }
    return [field, ...listFields(inner, prefix, innerPointer)]
  })
  if (schema['additionalProperties'] === undefined) return fields
  // Additional properties are shown only if the contract describes them.
  const additional = flattenSchema(schema['additionalProperties'])
  const field = describeField(additional, memberPointer(pointer, 'any other name'), '')
  return field.description === '' && field.assumptions.length === 0 ? fields : [...fields, { ...field, items: [] }]
}

/** Describes a field, or a parameter if `pointer` is empty. The labels of its coverage items begin with `prefix`. */
function describeField(schema: ContractNode, pointer: string, prefix: string) {
  const [inner] = enterArray(schema, pointer)
  // Names and labels omit the stars for array items: `dataPoints.date`.
  const parts = pointer.split('/').filter((part) => part !== '' && part !== '*')
  const name = parts.map(unescapeName).join('.')
  const label = prefix + name
  const values = ['null', 'not null', ...listOf(inner['enum']).map(String)]
  return {
    /** The name: `components.content` or `period`. */
    name,
    /** The location of a parameter: `query`; empty for a field. */
    location: '',
    pointer,
    type: typeOf(schema),
    isRequired: false,
    description: textOrEmpty(schema['description']),
    assumptions: [...new Set([...assumptionsOf(schema), ...assumptionsOf(inner)])],
    /** Possible coverage items, with their labels in the coverage report: `query period=7d`. */
    items: [{ label, text: 'sent' }, ...values.map((text) => ({ label: `${label}: ${text}`, text }))],
    sample: sampleOf(schema),
  }
}

/** Returns the type in a few words: `array of string`, `number or null, 0 to 1`. */
function typeOf({ type, format, items, minimum, maximum, default: defaultValue }: ContractNode): string {
  const names = [type].flat().map((name) => {
    if (name === 'array') return `array of ${typeOf(flattenSchema(items))}`
    return name === 'string' ? textOrEmpty(format) || name : (name ?? 'any')
  })
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return names.join(' or ') + range + (defaultValue === undefined ? '' : `, default ${defaultValue}`)
}

const samplesByFormat: Readonly<Record<string, string>> = {
  uuid: '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75',
  'date-time': '2026-01-15T12:00:00Z',
  'iso-8601': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
}

function sampleOf(schema: ContractNode): unknown {
  const { const: constant, enum: allowed, type, format, items, minimum, maximum, required, properties } = schema
  const [name] = [type].flat()
  const sampleOfNode = (node: unknown) => sampleOf(flattenSchema(node))
  if (constant !== undefined) return constant
  if (listOf(allowed).length > 0) return listOf(allowed)[0]
  if (name === 'array') return [sampleOfNode(items)]
  if (name === 'object')
    return Object.fromEntries(listOf(required).map((key) => [key, sampleOfNode(objectOf(properties)[String(key)])]))
  if (name === 'boolean') return true
  if (name === 'number' || name === 'integer') return maximum ?? minimum ?? 1
  return samplesByFormat[textOrEmpty(format)] ?? 'any text'
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
  const { in: location, name, required, schema, examples, example, description, ...own } = objectOf(node)
  const flat = flattenSchema(schema)
  const field = describeField(flat, '', '')
  const label = `${location} ${name}`
  const [first] = entriesOf(examples)
  return {
    ...field,
    name: String(name),
    location: String(location),
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

/** Returns a request that covers one of an operation's uncovered items. */
export function requestThatCovers(
  { method, path: template, parameters, body }: DocumentedOperation,
  { point, headers, path }: Schema<'MissingPoint'>,
): CurlRequest {
  const isPoint = ({ location, name }: DocumentedField) => location === point.in && name === point.name
  const valuesIn = (location: string) =>
    parameters
      .filter((one) => one.location === location && (one.isRequired || isPoint(one)))
      .map((one): [string, string] => [one.name, String((isPoint(one) ? point.value : undefined) ?? one.sample)])
  const filledPath = valuesIn('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    template,
  )
  const query = new URLSearchParams(valuesIn('query')).toString()
  return {
    method,
    path: path === undefined ? filledPath + (query && `?${query}`) : path.slice(basePath.value.length),
    headers: { ...Object.fromEntries(valuesIn('header')), ...headers },
    ...(body && { body: bodyWith(body, point) }),
  }
}

/** Returns the first example, or a sample if there is none. If the missing item belongs to a field, sets that field. */
function bodyWith(
  { examples, fields }: NonNullable<DocumentedOperation['body']>,
  { kind, pointer, value }: Schema<'MissingPoint'>['point'],
): unknown {
  const required = fields.filter(({ pointer, isRequired }) => isRequired && pointer.lastIndexOf('/') === 0)
  const base = examples[0] ?? Object.fromEntries(required.map(({ name, sample }) => [name, sample]))
  if (pointer === undefined || !kind.startsWith('field')) return base
  const sample = fields.find((field) => field.pointer === pointer)?.sample
  return withMember(base, pointer.split('/').slice(1), value ?? sample)
}

function withMember(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member
  if (name !== '*') return { ...objectOf(value), [name]: withMember(objectOf(value)[name], rest, member) }
  const [first, ...others] = Array.isArray(value) ? value : []
  return [withMember(first, rest, member), ...others]
}
