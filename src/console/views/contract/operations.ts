import type { Schema } from '../../api/ask.ts'
import { info } from '../../store/server.ts'
import type { CurlRequest } from '../../ui/empty.tsx'
import { objectOf, textOrEmpty } from '../../ui/text.tsx'
import {
  assumptionsOf,
  type ContractNode,
  type DocumentedField,
  describeField,
  entriesOf,
  flattenSchema,
  listFields,
  listOf,
  resolveNode,
} from './document.ts'

/** An operation as the contract describes it. */
export type DocumentedOperation = ReturnType<typeof listOperations>[number]

/** Lists the operations of a contract document. */
export function listOperations(document: ContractNode) {
  return entriesOf(document['paths']).flatMap(([path, node]) =>
    entriesOf(resolveNode(document, node))
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
          parameters: [node['parameters'], parameters].flatMap(listOf).map((one) => toDocumentedField(document, one)),
          body: requestBody === undefined ? undefined : describeBodyFields(document, requestBody, 'body '),
          responses: entriesOf(responses).map(([status, one]) => ({
            status,
            ...describeBodyFields(document, one, ''),
          })),
        }
      }),
  )
}

function describeBodyFields(document: ContractNode, node: unknown, prefix: string) {
  const own = resolveNode(document, node)
  const media = objectOf(Object.values(objectOf(own['content']))[0])
  const schema = flattenSchema(document, media['schema'])
  return {
    description: textOrEmpty(own['description']),
    assumptions: [...new Set([...assumptionsOf(own), ...assumptionsOf(schema)])],
    fields: listFields(document, schema, prefix),
    examples: entriesOf(media['examples']).map(([, example]) => resolveNode(document, example)['value']),
  }
}

function toDocumentedField(document: ContractNode, node: unknown): DocumentedField {
  const { in: place, name, required, schema, examples, example, description, ...own } = resolveNode(document, node)
  const flat = flattenSchema(document, schema)
  const field = describeField(document, flat, '', '')
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

/** Returns a request that shows an item of an operation which no client has met. */
export function requestThatShows(
  operation: DocumentedOperation,
  { point, headers, path }: Schema<'MissingPoint'>,
): CurlRequest {
  const { method, parameters, body } = operation
  const chosen = parameters.filter((one) => one.isRequired || (one.place === point.in && one.name === point.name))
  const textFor = (name: string, sample: unknown) => String(name === point.name ? (point.value ?? sample) : sample)
  const values = (place: string) =>
    chosen
      .filter((one) => one.place === place)
      .map(({ name, sample }): [string, string] => [name, textFor(name, sample)])
  const filled = values('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  )
  const query = new URLSearchParams(values('query')).toString()
  const basePath = info.value?.contract.basePath ?? ''
  return {
    method,
    path: path === undefined ? filled + (query && `?${query}`) : path.slice(basePath.length),
    headers: { ...Object.fromEntries(values('header')), ...headers },
    ...(body && { body: bodyWith(body, point) }),
  }
}

/** Returns the first example of a body, with the member or value of a point put in. */
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
