import { describe, expect, test } from 'vitest'
import { loadContract } from '../../src/contract/load.ts'
import type { Json } from '../../src/core/json.ts'
import { BUNDLED, operationOf } from './documents.ts'
import { isAcceptedByPrism } from './prism.ts'

const loaded = await loadContract(BUNDLED, { structure: false })
if (!loaded.ok) throw new Error('the bundled document does not load')
const contract = loaded.value

const id = '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
const event = { eventType: 'task_success', productId: id, value: '1' }
const prompt = { name: 'Order assistant', components: [{ content: 'Hello {{name}}' }] }

describe('Prism agrees on a body', () => {
  test.each<{ operation: string; name: string; body: Json; broken: string[] }>([
    { operation: 'createEvent', name: 'a minimal event', body: event, broken: [] },
    { operation: 'createEvent', name: 'unlisted fields', body: { ...event, extra: { deep: [1] } }, broken: [] },
    {
      operation: 'createEvent',
      name: 'ends of ranges',
      body: { ...event, qualityImpactScore: -1, sampleRate: 1 },
      broken: [],
    },
    { operation: 'createEvent', name: 'an empty body', body: {}, broken: ['/eventType', '/productId', '/value'] },
    { operation: 'createEvent', name: 'a list', body: [], broken: [''] },
    { operation: 'createEvent', name: 'a number as value', body: { ...event, value: 149 }, broken: ['/value'] },
    { operation: 'createEvent', name: 'null as value', body: { ...event, value: null }, broken: ['/value'] },
    {
      operation: 'createEvent',
      name: 'an unknown influence',
      body: { ...event, influence: 'good' },
      broken: ['/influence'],
    },
    {
      operation: 'createEvent',
      name: 'an impact above 1',
      body: { ...event, qualityImpactScore: 1.5 },
      broken: ['/qualityImpactScore'],
    },
    { operation: 'createEvent', name: 'a rate below 0', body: { ...event, sampleRate: -0.1 }, broken: ['/sampleRate'] },
    {
      operation: 'createEvent',
      name: 'a rate as text',
      body: { ...event, sampleRate: '0.5' },
      broken: ['/sampleRate'],
    },
    {
      operation: 'createEvent',
      name: 'a product that is not a UUID',
      body: { ...event, productId: 'abc' },
      broken: ['/productId'],
    },
    {
      operation: 'createEvent',
      name: 'properties as a list',
      body: { ...event, properties: [] },
      broken: ['/properties'],
    },
    { operation: 'createPrompt', name: 'a minimal prompt', body: prompt, broken: [] },
    { operation: 'createPrompt', name: 'no components', body: { ...prompt, components: [] }, broken: ['/components'] },
    { operation: 'createPrompt', name: 'an empty role', body: { ...prompt, role: '' }, broken: ['/role'] },
    {
      operation: 'createPrompt',
      name: 'components without content',
      body: { ...prompt, components: [{}, { content: 1 }] },
      broken: ['/components/0/content', '/components/1/content'],
    },
    { operation: 'createPrompt', name: 'an unknown source', body: { ...prompt, source: 'me' }, broken: ['/source'] },
    { operation: 'createPrompt', name: 'tags of numbers', body: { ...prompt, tags: ['a', 1] }, broken: ['/tags/1'] },
  ])('$operation: $name', async ({ operation, body, broken }) => {
    const { path, method, checkBody } = operationOf(contract, operation)
    const violations = checkBody('application/json', body)
    expect(violations.map(({ pointer }) => pointer).sort()).toEqual(broken)
    expect(await isAcceptedByPrism(BUNDLED, { method, path, body })).toBe(broken.length === 0)
  })
})

describe('Prism agrees on parameters', () => {
  test.each<{ modelId: string; query: Record<string, string | string[]>; broken: string[] }>([
    { modelId: id, query: {}, broken: [] },
    { modelId: id.toUpperCase(), query: { period: '90d' }, broken: [] },
    { modelId: id, query: { period: '7d', unknown: 'x' }, broken: [] },
    { modelId: 'gpt', query: {}, broken: ['/modelId'] },
    { modelId: id, query: { period: '14d' }, broken: ['/period'] },
    // `period=` without a value is left out: Prism takes it for a missing parameter, and we refuse it.
    { modelId: '1', query: { period: '7D' }, broken: ['/modelId', '/period'] },
  ])('model $modelId with $query', async ({ modelId, query, broken }) => {
    const operation = operationOf(contract, 'getModelAnalytics')
    const { violations } = operation.readParameters({ path: { modelId }, query, header: {} })
    expect(violations.map(({ pointer }) => pointer)).toEqual(broken)
    const path = operation.path.replace('{modelId}', modelId)
    expect(await isAcceptedByPrism(BUNDLED, { method: 'GET', path, query })).toBe(broken.length === 0)
  })
})
