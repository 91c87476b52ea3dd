import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import {
  analyticsPath,
  call,
  event,
  expectRefusal,
  objectOf,
  productId,
  prompt,
  type RequestOptions,
  type TestResponse,
} from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import type { TestSimulator } from '../support/start.ts'

const lenient = sharedSimulator()
const strict = sharedSimulator({ strict: true })
const limited = sharedSimulator({ maxAnalysesPerHour: 60 })

const linkedEvent = (fields = {}) => event({ externalConversationId: 'chat-1', ...fields })
const fullPrompt = (fields = {}) => prompt({ productId, role: 'support', ...fields })

/** A request, and the expected advice about it: the location of each piece, and a pattern for its message. */
type Case = [name: string, path: string, body: Json | undefined, ...advice: (readonly [at: string, words: RegExp])[]]

const eventWithValue = (value: string, valueType: string) => linkedEvent({ value, valueType })
const valueAdvice = ['body /value', /^should be/] as const
const hint = (name: string) => new RegExp(`did you mean "${name}"\\?$`)
const components = [{ content: 'a' }, { content: 'b', isDinamic: true }]
const [events, prompts] = ['/v1/events', '/v1/prompts']

const cases: readonly Case[] = [
  ['a parameter with one letter missing', `${analyticsPath}?perod=7d`, undefined, ['query /perod', hint('period')]],
  ['an unknown query parameter', `${analyticsPath}?limit=5`, undefined, ['query /limit', /known: period$/]],
  ['a query on POST /v1/events', `${events}?period=7d`, linkedEvent(), ['query /period', /no query parameters$/]],
  ['a member in the wrong case', events, linkedEvent({ insertID: 'a' }), ['body /insertID', hint('insertId')]],
  ['a member in snake case', events, linkedEvent({ sample_rate: 1 }), ['body /sample_rate', hint('sampleRate')]],
  ['a nested misspelling', prompts, fullPrompt({ components }), ['body /components/1/isDinamic', hint('isDynamic')]],
  ['a prompt without productId', prompts, fullPrompt({ productId: undefined }), ['body /productId', /should be sent/]],
  ['a blank eventType', events, linkedEvent({ eventType: ' ' }), ['body /eventType', /^is blank; /]],
  ['an empty insertId', events, linkedEvent({ insertId: '' }), ['body /insertId', /does not identify anything/]],
  ['an empty chat ID', events, event({ externalConversationId: '' }), ['body /externalConversationId', /is empty/]],
  ['an empty prompt ID', prompts, fullPrompt({ externalPromptId: '' }), ['body /externalPromptId', /is empty/]],
  ['an unknown member', events, linkedEvent({ campaign: 'spring' })],
  ['a member similar to a known member that is also sent', events, linkedEvent({ values: ['1'] })],
  ['an unknown member of properties', events, linkedEvent({ properties: { valeu: 1 } })],
  ['a numeric value that is text', events, eventWithValue('many', 'numeric'), valueAdvice],
  ['an empty currency value', events, eventWithValue('', 'currency'), valueAdvice],
  ['the boolean value "yes"', events, eventWithValue('yes', 'boolean'), valueAdvice],
  ['a currency value', events, eventWithValue('149.00', 'currency')],
  ['a number with an exponent', events, eventWithValue('-1e3', 'numeric')],
  ['a boolean value', events, eventWithValue('false', 'boolean')],
  ['a value without a type', events, linkedEvent({ value: 'anything' })],
  ['a complete prompt', prompts, fullPrompt()],
  ['a known period', `${analyticsPath}?period=7d`, undefined],
]

const optionsOf = (body: Json | undefined): RequestOptions => (body === undefined ? {} : { body })

/** Returns the location and the message of each piece of advice about a request. */
async function adviceAbout(sim: TestSimulator, { headers }: TestResponse): Promise<string[][]> {
  const entry = await call(sim, `/__sim/requests/${headers.get('x-request-id')}`, { token: null })
  const advice = objectOf(entry)['advice'] as { in: string; pointer: string; message: string }[]
  return advice.map((item) => [`${item.in} ${item.pointer}`, item.message])
}

describe('a request with', () => {
  test.each(cases)('%s is accepted, but with --strict only if it gets no advice', async (_, path, body, ...advice) => {
    const response = await call(lenient(), path, optionsOf(body))
    expect(response.status).toBeLessThan(300)
    const expected = advice.map(([location, words]) => [location, expect.stringMatching(words)])
    expect(await adviceAbout(lenient(), response)).toEqual(expected)
    const strictResponse = await call(strict(), path, optionsOf(body))
    if (advice.length === 0) expect(strictResponse.status).toBeLessThan(300)
    else expectRefusal(strictResponse, 400, ...advice.map(([location]) => location.replace(' ', '')))
  })

  test('thousands of unknown members gets only 20 pieces of advice', async () => {
    const members = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`value${index % 9}_${index}`, 1]))
    const parameters = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&')
    const response = await call(lenient(), `/v1/events?${parameters}`, { body: linkedEvent(members) })
    expect(response.status).toBe(201)
    expect((await adviceAbout(lenient(), response)).length).toBe(20)
  })
})

test.each([
  ['undefined', 'is a non-string value converted to text'],
  ['[object Object]', 'is a non-string value converted to text'],
  ['{{API_KEY}}', 'is a placeholder that was not replaced'],
  ['<API_KEY>', 'is a placeholder that was not replaced'],
  ['abcdefgabcdefg', 'contains the same key twice'],
  ['one two', 'contains whitespace'],
])('the key %s gets advice, or a 401 with --strict', async (token, problem) => {
  const response = await call(lenient(), analyticsPath, { token })
  expect(response.status).toBe(200)
  expect(await adviceAbout(lenient(), response)).toEqual([['header /authorization', problem]])
  expectRefusal(await call(strict(), analyticsPath, { token }), 401, new RegExp(problem))
})

test('a byte order mark gets advice, or a 400 with --strict', async () => {
  const body = new TextEncoder().encode(`\uFEFF${JSON.stringify(linkedEvent())}`)
  const send = (sim: TestSimulator) => call(sim, events, { body, contentType: 'application/json' })
  const advice = await adviceAbout(lenient(), await send(lenient()))
  expect(advice).toEqual([['body ', expect.stringContaining('begins with a byte order mark')]])
  expectRefusal(await send(strict()), 400, 'begins with a byte order mark')
})

test('three events with an empty insertId are stored separately', async () => {
  const body = linkedEvent({ insertId: '' })
  const ids = [1, 2, 3].map(async () => objectOf(await call(lenient(), events, { body, sandbox: 'empty' }))['eventId'])
  expect(new Set(await Promise.all(ids)).size).toBe(3)
})

test('the fifth identical response within a rate limit window adds advice to the report', async () => {
  const readAdvice = async () => (await callControl(limited(), 'GET', '/report?sandbox=again'))['advice']
  for (let count = 0; count < 4; count++) await call(limited(), analyticsPath, { sandbox: 'again' })
  expect(await readAdvice()).toMatchObject({ findings: [] })
  await call(limited(), analyticsPath, { sandbox: 'again' })
  const message = '5 of the 60 requests allowed per hour returned identical bytes; cache the response'
  expect(await readAdvice()).toMatchObject({ findings: [{ keyword: 'repeated-read', message }] })
})
