import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { ask, event, expectRefusal, prompt } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow } from '../support/start.ts'
import { readEventPage, readPrompts } from '../support/stored-records.ts'

const sim = sharedSimulator()
const otherProduct = '00000000-0000-4000-9000-000000000001'
const conversation = '5a0e1b1c-7a0e-4b7e-8d21-0d6a5b7f9c34'

async function post(sandbox: string, path: string, body: JsonObject): Promise<void> {
  const answer = await ask(sim(), path, { body, headers: { 'x-sim-sandbox': sandbox } })
  expect(answer.status).toBe(201)
}

describe('GET events', () => {
  const recorded = [
    { value: 'a', eventType: 'purchase' },
    { value: 'b', eventType: 'purchase', productId: otherProduct, insertId: 'order-1' },
    { value: 'c', eventType: 'cancellation', conversationId: conversation },
    { value: 'd', eventType: 'cancellation', externalConversationId: 'chat-9', sampleRate: 0, insertId: 'dropped' },
  ]

  test.each([
    ['', 'a b c d'],
    ['eventType=purchase', 'a b'],
    ['eventType=Purchase', ''],
    [`productId=${otherProduct}`, 'b'],
    [`productId=${otherProduct.toUpperCase()}`, 'b'],
    [`conversationId=${conversation.toUpperCase()}`, 'c'],
    ['externalConversationId=chat-9', 'd'],
    ['insertId=order-1', 'b'],
    ['sampledOut=true', 'd'],
    ['sampledOut=false', 'a b c'],
    ['eventType=cancellation&sampledOut=false', 'c'],
    ['eventType=cancellation&insertId=order-1', ''],
    ['order=newest', 'd c b a'],
    ['order=newest&eventType=purchase', 'b a'],
  ])('with ?%s returns the events %s', async (query, values) => {
    const { total } = await readEventPage(sim(), 'sandbox=filters')
    if (total === 0) for (const fields of recorded) await post('filters', '/v1/events', event(fields))
    const page = await readEventPage(sim(), `sandbox=filters&${query}`)
    expect(page.events.map(({ fields }) => fields.value).join(' ')).toBe(values)
    expect(page.total).toBe(page.events.length)
  })

  test('finds one event by its id, however old it is', async () => {
    for (let count = 0; count < 3; count += 1) await post('by-id', '/v1/events', event({ value: `${count}` }))
    const { events } = await readEventPage(sim(), 'sandbox=by-id')
    for (const { eventId } of events) {
      const found = await readEventPage(sim(), `sandbox=by-id&eventId=${String(eventId).toUpperCase()}`)
      expect(found).toMatchObject({ events: [{ eventId }], total: 1 })
    }
    const none = await readEventPage(sim(), 'sandbox=by-id&eventId=00000000-0000-4000-8000-000000000000')
    expect(none).toEqual({ events: [], total: 0 })
  })

  test('returns every event once over its pages, in the order of recording, each page with the total', async () => {
    await steer(sim(), 'POST', '/reset')
    const bodies = Array.from({ length: 250 }, (_, n) => event({ value: `${n}`, insertId: `page-${n}` }))
    for (const body of bodies) await post('pages', '/v1/events', body)
    const seen: string[] = []
    for (let offset = 0; offset < 300; offset += 60) {
      const page = await readEventPage(sim(), `sandbox=pages&offset=${offset}&limit=60`)
      expect(page.total).toBe(250)
      seen.push(...page.events.map(({ fields }) => fields.value))
    }
    expect(seen).toEqual(bodies.map(({ value }) => value))
    const first = await readEventPage(sim(), 'sandbox=pages')
    expect([first.events.length, first.total]).toEqual([100, 250])
    expect(await readEventPage(sim(), 'sandbox=pages&limit=0')).toEqual({ events: [], total: 250 })
  })

  test.each([
    ['limit=-1', 'limit'],
    ['limit=10001', 'limit'],
    ['offset=one', 'offset'],
    ['order=latest', 'order'],
    ['sampledOut=perhaps', 'sampledOut'],
    ['productId=web-shop', 'productId'],
    ['eventTyp=purchase', 'eventTyp'],
    ['sandbox=.x', 'sandbox'],
  ])('refuses ?%s and names the parameter', async (query, parameter) => {
    expectRefusal(await ask(sim(), `/__sim/events?${query}`, { token: null }), 400, parameter)
  })

  test('shows replays, events that sampling dropped, and defaults', async () => {
    const dropped = event({ insertId: 'x', sampleRate: 0, influence: 'negative', extra: { a: [1] } })
    for (let index = 0; index < 4; index += 1) await post('marks', '/v1/events', dropped)
    await post('marks', '/v1/events', event({ qualityImpactScore: 0.25, influence: 'negative' }))
    expect(await readEventPage(sim(), 'sandbox=marks')).toMatchObject({
      total: 2,
      events: [
        {
          fields: { ...dropped, valueType: 'text', eventAt: frozenNow },
          impact: -1,
          sampledOut: true,
          receivedAt: frozenNow,
          replays: 3,
        },
        { impact: 0.25, sampledOut: false, replays: 0 },
      ],
    })
  })

  test('returns no events for an unused sandbox', async () => {
    expect(await readEventPage(sim(), 'sandbox=nobody')).toEqual({ events: [], total: 0 })
  })
})

describe('GET prompts', () => {
  test('shows every version with fingerprint, variables, components and the other fields', async () => {
    const first = prompt({
      externalPromptId: 'greeting',
      productId: otherProduct,
      role: 'assistant',
      tags: ['shop'],
      components: [{ content: 'Hello {{name}}', type: 'system' }, { content: '{{ order.id }}' }],
    })
    await post('prompts', '/v1/prompts', first)
    await post('prompts', '/v1/prompts', { ...first, name: 'Renamed' })
    await post('prompts', '/v1/prompts', prompt())
    const [greeting, other] = await readPrompts(sim(), 'prompts')
    expect(greeting).toMatchObject({
      externalPromptId: 'greeting',
      productId: otherProduct,
      versions: [
        {
          version: 1,
          createdAt: frozenNow,
          name: 'Order assistant',
          role: 'assistant',
          active: false,
          variables: ['name', 'order.id'],
          tags: ['shop'],
        },
        { version: 2, name: 'Renamed', active: false, components: [{ content: 'Hello {{name}}' }, {}] },
      ],
    })
    const [one, two] = greeting?.versions ?? []
    expect(one?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(two?.fingerprint).toBe(one?.fingerprint)
    expect(two?.versionId).not.toBe(one?.versionId)
    expect(other).toMatchObject({ versions: [{ version: 1 }] })
  })

  test('shows the component ids of the reply', async () => {
    const answer = await ask(sim(), '/v1/prompts', {
      body: prompt({ components: [{ content: 'a' }, { content: 'b' }] }),
      headers: { 'x-sim-sandbox': 'components' },
    })
    const [{ versions: [version] = [] } = {}] = await readPrompts(sim(), 'components')
    const shown = JSON.parse(JSON.stringify(version)).components
    expect(shown.map(({ componentId }: { componentId: string }) => componentId)).toEqual(
      JSON.parse(answer.text).componentIds,
    )
  })
})

describe('activation', () => {
  const versionsIn = async (sandbox: string) => (await readPrompts(sim(), sandbox))[0]?.versions ?? []
  const activeIn = async (sandbox: string) => (await versionsIn(sandbox)).map(({ active }) => active)

  test('makes one version the only active one, which stays active when a version is added', async () => {
    const sandbox = 'activation'
    const add = () => post(sandbox, '/v1/prompts', prompt({ externalPromptId: 'p' }))
    for (let index = 0; index < 3; index += 1) await add()
    const [{ promptId = '' } = {}] = await readPrompts(sim(), sandbox)
    const [first, second] = await versionsIn(sandbox)
    const activate = (versionId = '') =>
      steer(sim(), 'POST', `/prompts/${promptId}/versions/${versionId}/activate?sandbox=${sandbox}`)
    expect(await activate(second?.versionId)).toEqual({ promptId, versionId: second?.versionId, active: true })
    expect(await activeIn(sandbox)).toEqual([false, true, false])
    await activate(second?.versionId)
    await activate(first?.versionId)
    expect(await activeIn(sandbox)).toEqual([true, false, false])
    await add()
    expect(await activeIn(sandbox)).toEqual([true, false, false, false])
  })

  test('finds only a version of that prompt in that sandbox', async () => {
    const sandbox = 'finding'
    for (const id of ['p', 'q']) await post(sandbox, '/v1/prompts', prompt({ externalPromptId: id }))
    const [p, q] = await readPrompts(sim(), sandbox)
    const nobody = '00000000-0000-4000-8000-00000000dead'
    const pairs = [
      [p?.promptId, q?.versions[0]?.versionId, sandbox],
      [nobody, p?.versions[0]?.versionId, sandbox],
      [p?.promptId, nobody, sandbox],
      [p?.promptId, p?.versions[0]?.versionId, 'elsewhere'],
    ]
    for (const [promptId, versionId, where] of pairs) {
      const path = `/__sim/prompts/${promptId}/versions/${versionId}/activate?sandbox=${where}`
      expectRefusal(await ask(sim(), path, { method: 'POST', token: null }), 404, String(versionId))
    }
    expect(await activeIn(sandbox)).toEqual([false])
  })
})
