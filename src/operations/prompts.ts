import { jsonBody } from '../exchange/body.ts'
import type { PromptDraft } from '../state/records.ts'
import type { Store } from '../state/store.ts'
import { bodyOf, type OperationHandler } from './handler.ts'

/** Handles POST /prompts (service.md, "Endpoints"): adds an immutable version that is not active. */
export function createPrompt(store: Store): OperationHandler {
  return {
    operationId: 'createPrompt',
    async handle(context) {
      const draft = bodyOf(context) as unknown as PromptDraft // validated against the contract's schema
      const { promptId, version } = await store.addPromptVersion(context, draft)
      const { versionId, componentIds } = version
      const echo = draft.externalPromptId === undefined ? {} : { externalPromptId: draft.externalPromptId }
      return jsonBody({ promptId, versionId, componentIds: [...componentIds], ...echo })
    },
  }
}
