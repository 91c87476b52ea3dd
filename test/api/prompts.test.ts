import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { ask, objectOf, productId, prompt, readStateInfo, textOf } from '../support/client.ts'
import { faultsOf } from '../support/documented.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { readPrompts } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const otherProduct = '00000000-0000-4000-9000-000000000002'

async function create(sim: TestSimulator, fields: JsonObject = {}) {
  const body = prompt(fields)
  const answer = await ask(sim, '/v1/prompts', { body })
  expect(answer.status).toBe(201)
  expect(faultsOf('createPrompt', 201, answer.body)).toEqual([])
  const { componentIds } = objectOf(answer)
  if (!Array.isArray(componentIds) || !Array.isArray(body['components'])) throw new Error('no components')
  expect(componentIds.length).toBe(body['components'].length)
  return {
    promptId: textOf(answer, 'promptId'),
    versionId: textOf(answer, 'versionId'),
    componentIds,
    body: objectOf(answer),
  }
}

/** Returns the stored prompts after an action. */
async function keptAfter(use: (sim: TestSimulator) => Promise<unknown>) {
  const sim = await startForTest()
  await use(sim)
  return readPrompts(sim)
}

describe('the answer', () => {
  test('echoes externalPromptId where it was sent, and has none where it was not', async () => {
    const sim = await startForTest()
    expect((await create(sim, { externalPromptId: 'order-assistant' })).body).toHaveProperty(
      'externalPromptId',
      'order-assistant',
    )
    expect((await create(sim)).body).not.toHaveProperty('externalPromptId')
  })

  test('has one id for each component, all different', async () => {
    const sim = await startForTest()
    const same = { content: 'Be kind.' }
    const { componentIds, promptId, versionId } = await create(sim, { components: [same, same, same] })
    expect(new Set([...componentIds, promptId, versionId]).size).toBe(5)
  })
})

describe('the same externalPromptId', () => {
  test('for the same product is a new version of the same prompt', async () => {
    const sim = await startForTest()
    const fields = { productId, externalPromptId: 'order-assistant' }
    const versions = [await create(sim, fields), await create(sim, fields), await create(sim, { ...fields, name: 'x' })]
    expect(new Set(versions.map(({ promptId }) => promptId)).size).toBe(1)
    expect(new Set(versions.map(({ versionId }) => versionId)).size).toBe(3)
    expect(await readStateInfo(sim)).toMatchObject({ prompts: 1 })
  })

  test('means the same whatever the case of the product’s UUID', async () => {
    const sim = await startForTest()
    const lower = await create(sim, { productId, externalPromptId: 'a' })
    const upper = await create(sim, { productId: productId.toUpperCase(), externalPromptId: 'a' })
    expect(upper.promptId).toBe(lower.promptId)
  })

  test('for another product, or none, is another prompt', async () => {
    const sim = await startForTest()
    const ids = [
      await create(sim, { productId, externalPromptId: 'a' }),
      await create(sim, { productId: otherProduct, externalPromptId: 'a' }),
      await create(sim, { externalPromptId: 'a' }),
    ].map(({ promptId }) => promptId)
    expect(new Set(ids).size).toBe(3)
    expect((await create(sim, { externalPromptId: 'a' })).promptId).toBe(ids[2])
  })

  test('after a restart is still the same prompt, and the next version', async () => {
    const file = join(await tempFolder(), 'state.json')
    const first = await startForTest({ state: file })
    const { promptId } = await create(first, { externalPromptId: 'a' })
    await first.close()
    const second = await startForTest({ state: file })
    expect((await create(second, { externalPromptId: 'a' })).promptId).toBe(promptId)
    const [kept] = await readPrompts(second)
    expect(kept?.versions.map(({ version }) => version)).toEqual([1, 2])
  })

  test('from 50 callers at once makes one prompt with versions 1 to 50', async () => {
    const [kept, ...others] = await keptAfter(async (sim) => {
      const made = await Promise.all(Array.from({ length: 50 }, () => create(sim, { externalPromptId: 'a' })))
      expect(new Set(made.map(({ versionId }) => versionId)).size).toBe(50)
    })
    expect(others).toEqual([])
    expect(kept?.versions.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
  })
})

test('without externalPromptId every call makes a prompt of its own', async () => {
  const sim = await startForTest()
  const ids = await Promise.all([create(sim), create(sim), create(sim)])
  expect(new Set(ids.map(({ promptId }) => promptId)).size).toBe(3)
  expect(new Set(ids.map(({ versionId }) => versionId)).size).toBe(3)
})

describe('a version', () => {
  test('is never active on creation', async () => {
    const kept = await keptAfter(async (sim) => {
      await create(sim)
      await create(sim, { externalPromptId: 'a' })
      await create(sim, { externalPromptId: 'a', isActive: true, active: true })
    })
    expect(kept.flatMap(({ versions }) => versions.map(({ active }) => active))).toEqual([false, false, false])
  })

  test('has the SHA-256 of its canonical components as fingerprint, which the order of members does not change', async () => {
    const kept = await keptAfter(async (sim) => {
      const of = (components: JsonObject[], more = {}) => create(sim, { components, externalPromptId: 'a', ...more })
      await of([{ content: 'Hello', type: 'system' }])
      await of([{ type: 'system', content: 'Hello' }], { name: 'another name', tags: ['x'] })
      await of([{ content: 'Hello!', type: 'system' }])
      await of([{ content: 'Hello', type: 'user' }])
    })
    const prints = kept.flatMap(({ versions }) => versions.map(({ fingerprint }) => fingerprint))
    const expected = createHash('sha256').update('[{"content":"Hello","type":"system"}]').digest('hex')
    expect(prints.slice(0, 2)).toEqual([expected, expected])
    expect(new Set(prints).size).toBe(3)
  })

  test('keeps the names of its variables once each, in their order', async () => {
    const [kept] = await keptAfter((sim) =>
      create(sim, {
        components: [
          { content: 'You serve {{shopName}} and {{ customerName }}. Not {single}, {{}}, nor {{ }}.' },
          { content: '{{customerName}} asks about {{orderId}} in {{shopName}}.' },
        ],
      }),
    )
    expect(kept?.versions[0]?.variables).toEqual(['shopName', 'customerName', 'orderId'])
  })

  test('keeps every field that was sent', async () => {
    const fields = {
      productId,
      role: 'support',
      externalPromptId: 'a',
      description: 'Answers',
      source: 'agent',
      tags: ['x', 'y'],
      temperature: 0.2,
      components: [{ content: 'c', type: 't', name: 'n', source: 'customer', isDynamic: true, weight: 3 }],
    }
    const [kept] = await keptAfter((sim) => create(sim, fields))
    expect(kept).toMatchObject({ productId, externalPromptId: 'a' })
    const { productId: _, externalPromptId: __, ...others } = prompt(fields)
    expect(kept?.versions).toMatchObject([others])
  })
})
