import { unescapeName } from '../../ui/pointer.ts'
import { type JsonRecord, objectOf } from '../../ui/text.ts'

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
