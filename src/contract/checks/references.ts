import { isObject, type JsonObject } from '../../core/json.ts'
import { parseReference, valueAt } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'

/**
 * Checks that every `$ref` leads, without going in a circle, to something of the kind that is wanted at its place. A
 * broken one is a finding and is taken out of the document, so that whatever else is wrong can be found as well.
 */
export function checkReferences(document: JsonObject, source: Source): Finding[] {
  const nodes = [...walk(document)]
  const kinds = new Map(nodes.map((node) => [node.pointer, node.kind]))
  const broken: { node: DocumentNode; why: string }[] = []
  for (const node of nodes) {
    const why = fault(document, kinds, node)
    if (why !== undefined) broken.push({ node, why })
  }
  return broken.map(({ node, why }) => {
    delete node.value.$ref
    return { severity: 'error', place: source.place(`${node.pointer}/$ref`), message: why }
  })
}

function fault(
  document: JsonObject,
  kinds: ReadonlyMap<string, NodeKind>,
  node: DocumentNode,
): string | undefined {
  const reference = node.value.$ref
  if (reference === undefined) return undefined
  if (typeof reference !== 'string') return '$ref must be a string'
  const target = parseReference(reference)
  if (target === undefined) {
    return `$ref "${reference}" leads out of the document; only references such as "#/components/schemas/Name" are followed, so bundle the parts into one file first`
  }
  const value = valueAt(document, target)
  if (value === undefined) return `$ref "${reference}" leads to nothing`
  const kind = kinds.get(target)
  // A boolean is a schema too, and what stands under no known place (`x-...`) may be anything.
  if (kind !== undefined && kind !== node.kind) {
    return `$ref "${reference}" leads to a ${kind}; a ${node.kind} is wanted here`
  }
  if (node.kind !== 'schema' && !isObject(value)) return `$ref "${reference}" leads to no object`
  return circular(document, node) ? `$ref "${reference}" leads back to itself` : undefined
}

/** Whether following references alone never arrives. A schema that holds itself further inside is not circular. */
function circular(document: JsonObject, node: DocumentNode): boolean {
  const seen = new Set([node.pointer])
  let value: JsonObject = node.value
  while (typeof value.$ref === 'string') {
    const pointer = parseReference(value.$ref)
    const next = pointer === undefined ? undefined : valueAt(document, pointer)
    if (pointer === undefined || !isObject(next)) return false
    if (seen.has(pointer)) return true
    seen.add(pointer)
    value = next
  }
  return false
}
