import { canonicalJson, type JsonObject } from '../../core/json.ts'
import { readBasePath } from '../checks/requirements.ts'
import { walk } from '../walk.ts'
import { type ChangeLevel, ChangeList, type ContractChange } from './change.ts'
import { compareOperations } from './operations.ts'

/** The levels of changes, the worst first. */
export const changeLevels: readonly ChangeLevel[] = ['breaking', 'risky', 'compatible']

/**
 * Compares two documents that have passed all checks, for clients of the old one: a request must stay allowed, and an answer must stay within
 * what the old document told. The worst changes come first, each level in the order of the documents.
 */
export function diffContracts(old: JsonObject, present: JsonObject): readonly ContractChange[] {
  const changes = new ChangeList()
  const [oldPath, path] = [readBasePath(old), readBasePath(present)]
  if (oldPath !== path)
    changes.add({
      kind: 'base-path-changed',
      level: 'breaking',
      message: `the API is served under ${path || '/'} (before: ${oldPath || '/'})`,
      old: '/servers/0/url',
      new: '/servers/0/url',
    })
  compareOperations(old, present, changes)
  compareCallbacks(old, present, changes)
  const all = changes.list()
  return changeLevels.flatMap((level) => all.filter((change) => change.level === level))
}

/** Reports a change of callbacks and webhooks, which are not compared. */
function compareCallbacks(old: JsonObject, present: JsonObject, changes: ChangeList): void {
  const [olds, presents] = [listCallbacks(old), listCallbacks(present)]
  for (const pointer of new Set([...olds.keys(), ...presents.keys()])) {
    if (olds.get(pointer) === presents.get(pointer)) continue
    changes.add({
      kind: 'not-compared',
      level: 'risky',
      message: `${pointer} has changed: callbacks and webhooks are not compared`,
      old: olds.has(pointer) ? pointer : undefined,
      new: presents.has(pointer) ? pointer : undefined,
    })
  }
}

/** Returns the callbacks and webhooks by pointer, each as text. */
function listCallbacks(document: JsonObject): ReadonlyMap<string, string> {
  const nodes = [...walk(document)].filter(
    ({ kind, pointer }) => kind === 'callback' || /^\/webhooks\/[^/]+$/.test(pointer),
  )
  return new Map(nodes.map(({ pointer, value }) => [pointer, canonicalJson(value)]))
}
