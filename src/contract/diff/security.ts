import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import type { OperationPair } from './operation-pair.ts'

/** Compares the credentials that an operation demands: each way that was enough has to be enough. */
export function compareSecurity({ old, new: present, before, after, changes }: OperationPair): void {
  const olds = listAlternatives(before.value, old)
  const presents = listAlternatives(after.value, present)
  const isEnough = (schemes: readonly string[], ways: readonly (readonly string[])[]) =>
    ways.some((way) => way.every((scheme) => schemes.includes(scheme)))
  const breaks = olds.some((way) => !isEnough(way, presents))
  const isWider = presents.some((way) => !isEnough(way, olds))
  if (!breaks && !isWider) return
  changes.add({
    kind: 'security-changed',
    level: breaks ? 'breaking' : 'compatible',
    operation: after.id,
    message: `${after.name} demands ${describe(presents)} (before: ${describe(olds)})`,
    old: joinPointer(before.pointer, 'security'),
    new: joinPointer(after.pointer, 'security'),
  })
}

/** Returns the sets of security schemes of which one is enough; an empty set for no credential. */
function listAlternatives(operation: JsonObject, document: JsonObject): string[][] {
  const security: Json | undefined = operation.security ?? document.security
  if (!Array.isArray(security) || security.length === 0) return [[]]
  return security.map((requirement) => (isObject(requirement) ? Object.keys(requirement) : []))
}

const describe = (ways: readonly (readonly string[])[]) =>
  ways.map((way) => way.join(' and ') || 'no credential').join(' or ')
