import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { parseReference, valueAt } from '../../../base/core/json-pointer.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'
import { type DocumentFault, error } from './fault.ts'

/** Checks that every `$ref` leads to an object of the expected kind, and removes and reports each that does not. */
export function checkReferences(document: JsonObject): DocumentFault[] {
  const nodes = [...walk(document)]
  const kinds = new Map(nodes.map(({ pointer, kind }) => [pointer, kind]))
  const references = nodes.filter(({ value }) => value.$ref !== undefined)
  const faults = references.map((node) => findReferenceFault(document, kinds, node))
  return references.flatMap(({ pointer, value }, index) => {
    const { $ref } = value
    const fault = faults[index]
    if (fault === undefined) return []
    delete value.$ref
    return error(`${pointer}/$ref`, typeof $ref === 'string' ? `$ref "${$ref}" ${fault}` : `$ref ${fault}`)
  })
}

/** Returns the fault of a node's `$ref` as the end of a sentence; undefined for a correct one. */
function findReferenceFault(document: JsonObject, kinds: ReadonlyMap<string, NodeKind>, node: DocumentNode) {
  const { $ref } = node.value
  if (typeof $ref !== 'string') return 'must be a string'
  const target = parseReference($ref)
  if (target === undefined) {
    return (
      'leads out of the document; only references such as "#/components/schemas/Name" are followed, ' +
      'so bundle the parts into one file first'
    )
  }
  const value = valueAt(document, target)
  if (value === undefined) return 'leads to nothing'
  if (node.kind === 'schema' && typeof value === 'boolean') return undefined
  const kind = kinds.get(target) ?? 'part that is data, such as an extension or an example'
  if (kind !== node.kind) return `leads to a ${kind}; a ${node.kind} is expected here`
  return isCircular(document, node.pointer) ? 'leads back to itself' : undefined
}

/** Returns true if references lead only to each other. A member that refers to its own schema is not a circle. */
function isCircular(document: JsonObject, pointer: string): boolean {
  const passed = new Set<string>()
  for (let at: string | undefined = pointer; at !== undefined; ) {
    if (passed.has(at)) return true
    passed.add(at)
    const value = valueAt(document, at)
    at = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
  }
  return false
}
