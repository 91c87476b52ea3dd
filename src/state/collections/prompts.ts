import { PromptTable } from '../memory/prompt-table.ts'
import { externalKey } from '../prompts.ts'
import type { StoredPrompt } from '../records.ts'
import type { Collection } from './collection.ts'

/** The prompts. Their versions are added one by one. */
export const promptCollection: Collection<StoredPrompt, PromptTable, 'prompts'> = {
  name: 'prompts',
  schema: 'prompt',
  keyOf: ({ promptId }) => promptId,
  otherKeys: (prompt) => ({ 'product and externalPromptId': externalKey(prompt) }),
  findFaults: findVersionFaults,
  ops: ['version', 'activate'],
  createTable: (prompts) => new PromptTable(prompts),
}

/** Finds the first version that is not numbered by its place, and a second active version. */
function findVersionFaults({ versions }: StoredPrompt): readonly string[] {
  const wrong = versions.findIndex(({ version }, index) => version !== index + 1)
  if (wrong !== -1) return [`/versions/${wrong}/version must be ${wrong + 1}, its place in the list`]
  const active = versions.filter((version) => version.active)
  return active.length > 1 ? ['/versions must have no more than one active version'] : []
}
