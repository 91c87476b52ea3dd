import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../../base/core/json-pointer.ts'
import { type NodeKind, walk } from '../walk.ts'
import type { DocumentFault } from './fault.ts'

/** The kinds of objects that no response depends on, with all that is in them. */
const UNUSED_KINDS: readonly NodeKind[] = ['example', 'link', 'callback']

/** Turns errors in parts that no operation under `paths` uses into warnings. */
export function excuseUnused(document: JsonObject, faults: DocumentFault[]): DocumentFault[] {
  if (faults.every(({ severity }) => severity !== 'error')) return faults
  const unused = new Set([...walk(document)].map(({ pointer }) => pointer))
  for (const pointer of ['', '/components', ...listServed(document)]) unused.delete(pointer)
  return faults.map((fault) => {
    const isUnused = unused.has(fault.pointer.slice(0, fault.pointer.lastIndexOf('/')))
    return isUnused && fault.severity === 'error' ? { ...fault, severity: 'warning' } : fault
  })
}

/** Returns the pointers of all objects that operations use, by references, too. */
function listServed(document: JsonObject): ReadonlySet<string> {
  const served = new Set<string>()
  const paths = isObject(document.paths) ? Object.keys(document.paths) : []
  const parts = paths.map((path) => ({ at: joinPointer('/paths', path), as: 'pathItem' as NodeKind }))
  for (const { at, as } of parts) {
    if (served.has(at)) continue
    for (const { kind, pointer, value } of walk(valueAt(document, at), as, at, UNUSED_KINDS)) {
      served.add(pointer)
      parts.push({ at: parseReference(String(value.$ref)) ?? pointer, as: kind })
    }
  }
  return served
}
