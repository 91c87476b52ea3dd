import { expect, test } from 'conversation-analytics-simulator/vitest'
import { clientOf } from './client-of.ts'

test('a prompt is in use when its version is activated, not before', async ({ sim }) => {
  const { promptId, versionId } = await clientOf(sim).createPrompt('greeting', 'Hello {{name}}')
  expect(await sim.prompts()).toMatchObject([{ promptId, versions: [{ versionId, active: false }] }])
  await sim.activateVersion(promptId, versionId)
  expect(await sim.prompts()).toMatchObject([{ versions: [{ active: true }] }])
})
