import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import {
  type Answer,
  analyticsPath,
  ask,
  errorOf,
  event,
  objectOf,
  productId,
  prompt,
  type RequestOptions,
} from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import type { TestSimulator } from '../support/start.ts'

const lenient = sharedSimulator()
const strict = sharedSimulator({ strict: true })

const linked = (fields = {}) => event({ externalConversationId: 'chat-1', ...fields })
const complete = (fields = {}) => prompt({ productId, role: 'support', ...fields })

interface Case {
  readonly name: string
  readonly path: string
  readonly body?: Json
  /** The places and the ends of the messages. Empty: no advice. */
  readonly advice: readonly (readonly [place: string, end: RegExp])[]
}

const meant = (name: string) => new RegExp(`did you mean "${name}"\\?$`)

const cases: readonly Case[] = [
  {
    name: 'a query parameter one letter away',
    path: `${analyticsPath}?perod=7d`,
    advice: [['query /perod', meant('period')]],
  },
  {
    name: 'an unknown query parameter',
    path: `${analyticsPath}?limit=5`,
    advice: [['query /limit', /known: period$/]],
  },
  {
    name: 'a query where none is known',
    path: '/v1/events?period=7d',
    body: linked(),
    advice: [['query /period', /there is none$/]],
  },
  {
    name: 'a member one capital away',
    path: '/v1/events',
    body: linked({ insertID: 'a' }),
    advice: [['body /insertID', meant('insertId')]],
  },
  {
    name: 'a member with underscores',
    path: '/v1/events',
    body: linked({ sample_rate: 1 }),
    advice: [['body /sample_rate', meant('sampleRate')]],
  },
  {
    name: 'a member of a component',
    path: '/v1/prompts',
    body: complete({ components: [{ content: 'a' }, { content: 'b', isDinamic: true }] }),
    advice: [['body /components/1/isDinamic', meant('isDynamic')]],
  },
  {
    name: 'a prompt without productId and role',
    path: '/v1/prompts',
    body: prompt(),
    advice: [
      ['body /productId', /should be sent/],
      ['body /role', /should be sent/],
    ],
  },
  {
    name: 'an empty eventType',
    path: '/v1/events',
    body: linked({ eventType: ' ' }),
    advice: [['body /eventType', /it is empty$/]],
  },
  { name: 'a member that is like no other', path: '/v1/events', body: linked({ campaign: 'spring' }), advice: [] },
  { name: 'a member like one that is sent, too', path: '/v1/events', body: linked({ values: ['1'] }), advice: [] },
  { name: 'any member of properties', path: '/v1/events', body: linked({ properties: { valeu: 1 } }), advice: [] },
  { name: 'a complete prompt', path: '/v1/prompts', body: complete(), advice: [] },
  { name: 'a period', path: `${analyticsPath}?period=7d`, advice: [] },
]

const optionsOf = ({ body }: Case): RequestOptions => (body === undefined ? {} : { body })

/** Returns the advice about a request, as the place and the message of each. */
async function adviceAbout(sim: TestSimulator, { headers }: Answer): Promise<string[][]> {
  const entry = await ask(sim, `/__sim/requests/${headers.get('x-request-id')}`, { token: null })
  const advice = objectOf(entry)['advice'] as { in: string; pointer: string; message: string }[]
  return advice.map((one) => [`${one.in} ${one.pointer}`, one.message])
}

describe('advice', () => {
  test.each(cases)('about $name refuses nothing', async (one) => {
    const answer = await ask(lenient(), one.path, optionsOf(one))
    expect(answer.status).toBeLessThan(300)
    expect(await adviceAbout(lenient(), answer)).toEqual(
      one.advice.map(([place, end]) => [place, expect.stringMatching(end)]),
    )
  })

  test.each(cases)('about $name is a refusal with --strict', async (one) => {
    const answer = await ask(strict(), one.path, optionsOf(one))
    if (one.advice.length === 0) expect(answer.status).toBeLessThan(300)
    else {
      expect(answer.status).toBe(400)
      for (const [place] of one.advice) expect(errorOf(answer)).toContain(place.replace(' ', ''))
    }
  })

  test('is bounded, however many members are unknown', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`value${index % 9}_${index}`, 1]))
    const parameters = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&')
    const answer = await ask(lenient(), `/v1/events?${parameters}`, { body: linked(many) })
    expect(answer.status).toBe(201)
    expect((await adviceAbout(lenient(), answer)).length).toBe(20)
  })
})
