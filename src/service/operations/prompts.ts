import { isObject, type Violation } from '../../base/core/json.ts'
import type { PromptDraft } from '../../state/records.ts'
import { jsonBody } from '../exchange/reply.ts'
import { bodyOf, findEmptyIds, type OperationDefinition } from './handler.ts'

/** POST /prompts (docs/development/service.md, 4): adds an immutable, inactive version of a prompt. */
export const createPrompt: OperationDefinition = {
  operationId: 'createPrompt',
  readsBody: true,
  samples: () => [
    {
      promptId: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
      versionId: '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b',
      componentIds: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
      externalPromptId: 'order-assistant',
    },
  ],
  warnings(request) {
    const body = bodyOf(request)
    const absent = missingWarnings.filter(({ pointer }) => isObject(body) && !Object.hasOwn(body, pointer.slice(1)))
    return [...absent, ...findEmptyIds(request, ['externalPromptId'])]
  },
  createHandle:
    ({ store }) =>
    async (context) => {
      const draft = bodyOf(context) as unknown as PromptDraft // validated against the contract's schema
      const { promptId, version } = await store.addPromptVersion(context, draft)
      const { versionId, componentIds } = version
      const echo = draft.externalPromptId === undefined ? {} : { externalPromptId: draft.externalPromptId }
      return jsonBody({ promptId, versionId, componentIds: [...componentIds], ...echo })
    },
}

/** Typed clients send both members, so the service might require them (docs/development/service.md, 4.1). */
const missingWarnings: readonly Violation[] = ['/productId', '/role'].map((pointer) => ({
  in: 'body',
  pointer,
  keyword: 'missing',
  message: 'should be sent: typed clients send it, and the service might require it',
}))
