import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import {
  analyticsPath,
  ask,
  event,
  expectRefusal,
  objectOf,
  productId,
  prompt,
  type RequestOptions,
  type TestResponse,
} from '../support/client.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import type { TestSimulator } from '../support/start.ts'

const lenient = sharedSimulator()
const strict = sharedSimulator({ strict: true })
const limited = sharedSimulator({ maxAnalysesPerHour: 60 })

const linked = (fields = {}) => event({ externalConversationId: 'chat-1', ...fields })
const complete = (fields = {}) => prompt({ productId, role: 'support', ...fields })

/** A request, and the location and message ending of each advice about it. */
type Case = [name: string, path: string, body: Json | undefined, ...advice: (readonly [at: string, end: RegExp])[]]

const valued = (value: string, valueType: string) => linked({ value, valueType })
const unfit = ['body /value', /^should be/] as const
const meant = (name: string) => new RegExp(`did you mean "${name}"\\?$`)
const components = [{ content: 'a' }, { content: 'b', isDinamic: true }]
const [events, prompts] = ['/v1/events', '/v1/prompts']

const cases: readonly Case[] = [
  ['a query parameter one letter away', `${analyticsPath}?perod=7d`, undefined, ['query /perod', meant('period')]],
  ['an unknown query parameter', `${analyticsPath}?limit=5`, undefined, ['query /limit', /known: period$/]],
  ['a query where none is known', `${events}?period=7d`, linked(), ['query /period', /it has none$/]],
  ['a member one capital away', events, linked({ insertID: 'a' }), ['body /insertID', meant('insertId')]],
  ['a member with underscores', events, linked({ sample_rate: 1 }), ['body /sample_rate', meant('sampleRate')]],
  ['a member of a component', prompts, complete({ components }), ['body /components/1/isDinamic', meant('isDynamic')]],
  ['a prompt without productId', prompts, complete({ productId: undefined }), ['body /productId', /should be sent/]],
  ['an empty eventType', events, linked({ eventType: ' ' }), ['body /eventType', /it is empty$/]],
  ['an empty insertId', events, linked({ insertId: '' }), ['body /insertId', /does not identify anything/]],
  ['an empty chat id', events, event({ externalConversationId: '' }), ['body /externalConversationId', /is empty/]],
  ['an empty prompt id', prompts, complete({ externalPromptId: '' }), ['body /externalPromptId', /is empty/]],
  ['a member unlike any known one', events, linked({ campaign: 'spring' })],
  ['a member similar to another one sent', events, linked({ values: ['1'] })],
  ['any member of properties', events, linked({ properties: { valeu: 1 } })],
  ['text as a number', events, valued('many', 'numeric'), unfit],
  ['empty text as a currency', events, valued('', 'currency'), unfit],
  ['"yes" as a boolean', events, valued('yes', 'boolean'), unfit],
  ['a number as a currency', events, valued('149.00', 'currency')],
  ['a number with an exponent', events, valued('-1e3', 'numeric')],
  ['a boolean', events, valued('false', 'boolean')],
  ['a value without a type', events, linked({ value: 'anything' })],
  ['a complete prompt', prompts, complete()],
  ['a period', `${analyticsPath}?period=7d`, undefined],
]

const optionsOf = (body: Json | undefined): RequestOptions => (body === undefined ? {} : { body })

/** Returns the location and the message of each advice about a request. */
async function adviceAbout(sim: TestSimulator, { headers }: TestResponse): Promise<string[][]> {
  const entry = await ask(sim, `/__sim/requests/${headers.get('x-request-id')}`, { token: null })
  const advice = objectOf(entry)['advice'] as { in: string; pointer: string; message: string }[]
  return advice.map((one) => [`${one.in} ${one.pointer}`, one.message])
}

describe('advice', () => {
  test.each(cases)('about %s refuses the request only with --strict', async (_name, path, body, ...advice) => {
    const response = await ask(lenient(), path, optionsOf(body))
    expect(response.status).toBeLessThan(300)
    const expected = advice.map(([place, end]) => [place, expect.stringMatching(end)])
    expect(await adviceAbout(lenient(), response)).toEqual(expected)
    const strictly = await ask(strict(), path, optionsOf(body))
    if (advice.length === 0) expect(strictly.status).toBeLessThan(300)
    else expectRefusal(strictly, 400, ...advice.map(([place]) => place.replace(' ', '')))
  })

  test('is bounded, however many members are unknown', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`value${index % 9}_${index}`, 1]))
    const parameters = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&')
    const response = await ask(lenient(), `/v1/events?${parameters}`, { body: linked(many) })
    expect(response.status).toBe(201)
    expect((await adviceAbout(lenient(), response)).length).toBe(20)
  })
})

test.each([
  ['undefined', 'is the text of a missing value'],
  ['[object Object]', 'is the text of a missing value'],
  ['{{API_KEY}}', 'is a placeholder that was not replaced'],
  ['<API_KEY>', 'is a placeholder that was not replaced'],
  ['abcdefgabcdefg', 'repeats a key'],
  ['one two', 'contains a space'],
])('the key %s is advice, and a 401 with --strict', async (token, problem) => {
  const response = await ask(lenient(), analyticsPath, { token })
  expect(response.status).toBe(200)
  expect(await adviceAbout(lenient(), response)).toEqual([['header /authorization', problem]])
  expectRefusal(await ask(strict(), analyticsPath, { token }), 401, new RegExp(problem))
})

test('a byte order mark is advice, and a 400 with --strict', async () => {
  const body = new TextEncoder().encode(`\uFEFF${JSON.stringify(linked())}`)
  const send = (sim: TestSimulator) => ask(sim, events, { body, contentType: 'application/json' })
  const advice = await adviceAbout(lenient(), await send(lenient()))
  expect(advice).toEqual([['body ', expect.stringContaining('begins with a byte order mark')]])
  expectRefusal(await send(strict()), 400, 'begins with a byte order mark')
})

test('three events with an empty insertId are stored separately', async () => {
  const body = linked({ insertId: '' })
  const ids = [1, 2, 3].map(async () => objectOf(await ask(lenient(), events, { body, sandbox: 'empty' }))['eventId'])
  expect(new Set(await Promise.all(ids)).size).toBe(3)
})

test('the fifth identical response within a rate window adds advice to the report', async () => {
  const readAdvice = async () => (await steer(limited(), 'GET', '/report?sandbox=again'))['advice']
  for (let count = 0; count < 4; count++) await ask(limited(), analyticsPath, { sandbox: 'again' })
  expect(await readAdvice()).toMatchObject({ findings: [] })
  await ask(limited(), analyticsPath, { sandbox: 'again' })
  const message = "5 of the hour's 60 requests returned the same bytes; cache the response"
  expect(await readAdvice()).toMatchObject({ findings: [{ keyword: 'repeated-read', message }] })
})
