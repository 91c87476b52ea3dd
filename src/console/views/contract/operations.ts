import { objectOf, textOrEmpty } from '../../ui/text.ts'
import { assumptionsOf, type ContractNode, entriesOf, flattenSchema, listOf, resolveNode } from './document.ts'
import { type DocumentedField, describeField, listFields } from './fields.ts'

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
          answers: entriesOf(responses).map(([status, one]) => ({ status, ...describeBodyFields(document, one, '') })),
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
