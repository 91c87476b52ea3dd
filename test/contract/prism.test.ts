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

type Row = [name: string, body: Json, broken: string[]]

const events: Row[] = [
  ['a minimal event', event, []],
  ['unlisted fields', { ...event, extra: { deep: [1] } }, []],
  ['ends of ranges', { ...event, qualityImpactScore: -1, sampleRate: 1 }, []],
  ['an empty body', {}, ['/eventType', '/productId', '/value']],
  ['a list', [], ['']],
  ['a number as value', { ...event, value: 149 }, ['/value']],
  ['null as value', { ...event, value: null }, ['/value']],
  ['an unknown influence', { ...event, influence: 'good' }, ['/influence']],
  ['an impact above 1', { ...event, qualityImpactScore: 1.5 }, ['/qualityImpactScore']],
  ['a rate below 0', { ...event, sampleRate: -0.1 }, ['/sampleRate']],
  ['a rate as text', { ...event, sampleRate: '0.5' }, ['/sampleRate']],
  ['a product that is not a UUID', { ...event, productId: 'abc' }, ['/productId']],
  ['properties as a list', { ...event, properties: [] }, ['/properties']],
]

const badComponents = ['/components/0/content', '/components/1/content']
const prompts: Row[] = [
  ['a minimal prompt', prompt, []],
  ['no components', { ...prompt, components: [] }, ['/components']],
  ['an empty role', { ...prompt, role: '' }, ['/role']],
  ['components without content', { ...prompt, components: [{}, { content: 1 }] }, badComponents],
  ['an unknown source', { ...prompt, source: 'me' }, ['/source']],
  ['tags of numbers', { ...prompt, tags: ['a', 1] }, ['/tags/1']],
]

describe.each([
  ['createEvent', events],
  ['createPrompt', prompts],
])('Prism agrees on a body of %s', (id, rows) => {
  test.each(rows)('%s', async (_name, body, broken) => {
    const { path, method, checkBody } = operationOf(contract, id)
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
