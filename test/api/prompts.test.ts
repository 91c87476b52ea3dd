import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { ask, objectOf, prompt } from '../support/client.ts'
import { faultsOf } from '../support/documented.ts'
import { sharedSimulator } from '../support/shared.ts'
import { type TestSimulator, test } from '../support/start.ts'

async function create(sim: TestSimulator, fields: JsonObject = {}): Promise<JsonObject> {
  const answer = await ask(sim, '/v1/prompts', { body: prompt(fields) })
  expect([answer.status, faultsOf('createPrompt', 201, answer.body)]).toEqual([201, []])
  return objectOf(answer)
}

const sim = sharedSimulator()

test('the answer echoes externalPromptId where it was sent, and has none where it was not', async () => {
  const named = { externalPromptId: 'order-assistant' }
  expect(await create(sim(), named)).toMatchObject(named)
  expect(await create(sim())).not.toHaveProperty('externalPromptId')
})

test('the answer has one id for each component, all different', async () => {
  const same = { content: 'Be kind.' }
  const { componentIds, promptId, versionId } = await create(sim(), { components: [same, same, same] })
  expect(componentIds).toHaveLength(3)
  expect(new Set([componentIds, promptId, versionId].flat()).size).toBe(5)
})
