import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { call, event, expectRefusal, objectOf, prompt } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow } from '../support/start.ts'
import { readEventPage, readPrompts } from '../support/stored-records.ts'

const sim = sharedSimulator()
const otherProduct = '00000000-0000-4000-9000-000000000001'
const conversation = '5a0e1b1c-7a0e-4b7e-8d21-0d6a5b7f9c34'

async function post(sandbox: string, path: string, body: JsonObject): Promise<JsonObject> {
  const response = await call(sim(), path, { body, sandbox })
  expect(response.status).toBe(201)
  return objectOf(response)
}

describe('GET events', () => {
  const eventFields = [
    { value: 'a', eventType: 'purchase' },
    { value: 'b', eventType: 'purchase', productId: otherProduct, insertId: 'order-1' },
    { value: 'c', eventType: 'cancellation', conversationId: conversation },
    { value: 'd', eventType: 'cancellation', externalConversationId: 'chat-9', sampleRate: 0, insertId: 'dropped' },
  ]

  test.each([
    ['', 'a b c d'],
    ['eventType=purchase', 'a b'],
    [`productId=${otherProduct.toUpperCase()}`, 'b'],
    [`conversationId=${conversation.toUpperCase()}`, 'c'],
    ['externalConversationId=chat-9', 'd'],
    ['insertId=order-1', 'b'],
    ['sampledOut=true', 'd'],
    ['eventType=cancellation&sampledOut=false', 'c'],
    ['order=newest', 'd c b a'],
  ])('with the query "%s" returns the events %s', async (query, values) => {
    const { total } = await readEventPage(sim(), 'sandbox=filters')
    if (total === 0) for (const fields of eventFields) await post('filters', '/v1/events', event(fields))
    const page = await readEventPage(sim(), `sandbox=filters&${query}`)
    expect(page.events.map(({ fields }) => fields.value).join(' ')).toBe(values)
    expect(page.total).toBe(page.events.length)
  })

  test('returns each event once across all pages, with the total, and finds a single event by its ID', async () => {
    const bodies = Array.from({ length: 101 }, (_, n) => event({ value: `${n}`, insertId: `page-${n}` }))
    for (const body of bodies) await post('pages', '/v1/events', body)
    const pages = ['', '&offset=100', '&offset=101', '&limit=0']
    const read = await Promise.all(pages.map((page) => readEventPage(sim(), `sandbox=pages${page}`)))
    expect(read.map(({ total, events }) => [total, events.length])).toEqual([100, 1, 0, 0].map((count) => [101, count]))
    const values = read.flatMap(({ events }) => events.map(({ fields }) => fields.value))
    expect(values).toEqual(bodies.map(({ value }) => value))
    const [{ eventId } = {}] = read[1]?.events ?? []
    const found = await readEventPage(sim(), `sandbox=pages&eventId=${String(eventId).toUpperCase()}`)
    expect(found).toMatchObject({ events: [{ eventId }], total: 1 })
    expect(await readEventPage(sim(), 'sandbox=nobody')).toEqual({ events: [], total: 0 })
  })

  test('shows the number of replays, whether sampling dropped the event, and default values', async () => {
    const dropped = event({ insertId: 'x', sampleRate: 0, influence: 'negative', extra: { a: [1] } })
    for (let index = 0; index < 4; index += 1) await post('marks', '/v1/events', dropped)
    await post('marks', '/v1/events', event({ qualityImpactScore: 0.25, influence: 'negative' }))
    const fields = { ...dropped, valueType: 'text', eventAt: frozenNow }
    expect((await readEventPage(sim(), 'sandbox=marks')).events).toMatchObject([
      { fields, impact: -1, sampledOut: true, receivedAt: frozenNow, replays: 3 },
      { impact: 0.25, sampledOut: false, replays: 0 },
    ])
  })
})

test('GET prompts shows every version with its fingerprint, variables, components and other fields', async () => {
  const components = [{ content: 'Hello {{name}}', type: 'system' }, { content: '{{ order.id }}' }]
  const otherFields = { role: 'assistant', tags: ['shop'], temperature: 0.2 }
  const first = prompt({ externalPromptId: 'greeting', productId: otherProduct, components, ...otherFields })
  const { componentIds, promptId, versionId } = await post('prompts', '/v1/prompts', first)
  expect(new Set([componentIds, promptId, versionId].flat()).size).toBe(4)
  expect(await post('prompts', '/v1/prompts', { ...first, name: 'Renamed' })).toMatchObject({
    externalPromptId: 'greeting',
    promptId,
  })
  expect(await post('prompts', '/v1/prompts', prompt())).not.toHaveProperty('externalPromptId')
  const [greeting, other] = await readPrompts(sim(), 'prompts')
  expect(greeting).toMatchObject({
    externalPromptId: 'greeting',
    productId: otherProduct,
    versions: [
      { version: 1, createdAt: frozenNow, active: false, variables: ['name', 'order.id'], ...otherFields },
      { version: 2, name: 'Renamed', active: false, components },
    ],
  })
  const [one, two] = greeting?.versions ?? []
  expect(one?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(two?.fingerprint).toBe(one?.fingerprint)
  expect(two?.versionId).not.toBe(one?.versionId)
  expect(other).toMatchObject({ versions: [{ version: 1 }] })
})

test('a version can be activated only through its own prompt', async () => {
  for (const id of ['p', 'q']) await post('finding', '/v1/prompts', prompt({ externalPromptId: id }))
  const [p, q] = await readPrompts(sim(), 'finding')
  const versionIn = (prompt: typeof p) => String(prompt?.versions[0]?.versionId)
  const pathTo = (prompt: typeof p) => `/prompts/${p?.promptId}/versions/${versionIn(prompt)}/activate?sandbox=finding`
  expectRefusal(await call(sim(), `/__sim${pathTo(q)}`, { method: 'POST', token: null }), 404, versionIn(q))
  expect(await callControl(sim(), 'POST', pathTo(p))).toMatchObject({ promptId: p?.promptId, active: true })
})
