import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { parseReference, valueAt } from '../../../base/core/json-pointer.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'
import { type DocumentFault, error } from './fault.ts'

/** Checks that every `$ref` leads to an object of the expected kind, and removes and reports each that does not. */
export function checkReferences(document: JsonObject): DocumentFault[] {
  const nodes = [...walk(document)]
  const kinds = new Map(nodes.map((node) => [node.pointer, node.kind]))
  const faults = nodes.map((node) => findReferenceFault(document, kinds, node))
  return nodes.flatMap(({ pointer, value }, index) => {
    const fault = faults[index]
    if (fault === undefined) return []
    delete value.$ref
    return error(`${pointer}/$ref`, fault)
  })
}

/** Returns the fault of a node's `$ref` as a sentence; undefined for a correct one and for a node without. */
function findReferenceFault(
  document: JsonObject,
  kinds: ReadonlyMap<string, NodeKind>,
  node: DocumentNode,
): string | undefined {
  const reference = node.value.$ref
  if (reference === undefined) return undefined
  if (typeof reference !== 'string') return '$ref must be a string'
  const target = parseReference(reference)
  if (target === undefined) {
    return (
      `$ref "${reference}" leads out of the document; ` +
      'only references such as "#/components/schemas/Name" are followed, so bundle the parts into one file first'
    )
  }
  const value = valueAt(document, target)
  if (value === undefined) return `$ref "${reference}" leads to nothing`
  if (node.kind === 'schema' && typeof value === 'boolean') return undefined
  const kind = kinds.get(target) ?? 'part that is data, such as an extension or an example'
  if (kind !== node.kind) return `$ref "${reference}" leads to a ${kind}; a ${node.kind} is expected here`
  return findEndlessness(document, node)
}

/** The most references of a reference to a reference. */
const MAX_CHAIN = 100

/** Says that references lead only to each other. A member that refers to its own schema is no circle. */
function findEndlessness(document: JsonObject, node: DocumentNode): string | undefined {
  const visited = new Set([node.pointer])
  let value: JsonObject = node.value
  while (typeof value.$ref === 'string') {
    const pointer = parseReference(value.$ref)
    const next = pointer === undefined ? undefined : valueAt(document, pointer)
    if (pointer === undefined || !isObject(next)) return undefined
    if (visited.has(pointer)) return `$ref "${node.value.$ref}" leads back to itself`
    if (visited.size > MAX_CHAIN) return `$ref "${node.value.$ref}" leads to more than ${MAX_CHAIN} others in a row`
    visited.add(pointer)
    value = next
  }
  return undefined
}
