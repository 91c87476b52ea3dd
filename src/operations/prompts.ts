import { bodyOf, writeContextOf } from '../exchange/exchange.ts'
import type { PromptDraft } from '../state/records.ts'
import type { Store } from '../state/store.ts'
import type { Handler } from './handler.ts'

/** POST /prompts (service.md, "Endpoints"): a new immutable version, not activated. */
export function createPrompt(store: Store): Handler {
  return {
    operationId: 'createPrompt',
    metered: false,
    async handle(exchange) {
      const draft = bodyOf(exchange) as unknown as PromptDraft // proved by the contract's schema
      const { promptId, version } = await store.addPromptVersion(writeContextOf(exchange), draft)
      const { versionId, componentIds } = version
      const echo = draft.externalPromptId === undefined ? {} : { externalPromptId: draft.externalPromptId }
      return { body: { promptId, versionId, componentIds: [...componentIds], ...echo } }
    },
  }
}
