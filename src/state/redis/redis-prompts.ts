import { cloneJson, deepFreeze } from '../clone.ts'
import { createPrompt, createVersion, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptDraft, WriteContext } from '../records.ts'
import type { PromptReceipt } from '../store.ts'
import { ADD_VERSION } from './lua/prompt-scripts.ts'
import { readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** Does what `Store.addPromptVersion` describes. */
export async function addPromptVersion(
  scripts: SandboxScripts,
  context: WriteContext,
  given: PromptDraft,
): Promise<PromptReceipt> {
  const { sandbox } = context
  const draft = cloneJson(given)
  const key = externalKey(draft)
  const first = createPrompt(context, draft, { get: () => 0 }).promptId
  let record = ''
  /** Creates the version for a number of stored versions of the prompt, or else of prompts from the same request. */
  const create = (count: number) => {
    const known: PromptHead | undefined = record === '' ? undefined : readJson(sandbox, 'prompts', record)
    const prompt = known ?? createPrompt(context, draft, { get: () => count })
    const version = createVersion(context, draft, prompt.promptId, key === undefined ? 0 : count)
    return { prompt, version: deepFreeze(version) }
  }
  const name = `prompt ${sandbox} ${key ?? first}`
  const [, count] = await scripts.offer(ADD_VERSION, sandbox, name, (from, size, known) => {
    record = known
    const candidates = Array.from({ length: size }, (_, index) => create(from + index))
    const texts = candidates.flatMap(({ prompt, version }) => [
      prompt.promptId,
      JSON.stringify(prompt),
      version.versionId,
      JSON.stringify(version),
    ])
    return [key ?? '', key === undefined ? first : '', from, ...texts]
  })
  const { prompt, version } = create(Number(count))
  return { promptId: prompt.promptId, version }
}
