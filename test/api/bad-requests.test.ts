import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  analyticsPath,
  ask,
  errorOf,
  event,
  modelId,
  productId,
  prompt,
  type RequestOptions,
  readStateInfo,
} from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

interface Bad extends RequestOptions {
  readonly name: string
  readonly path: string
  readonly status: number
  /** What the message must say: the place, and what is right. */
  readonly says: readonly RegExp[]
}

const post = (
  path: string,
  body: RequestOptions['body'],
  how: RequestOptions = {},
): RequestOptions & { path: string } => ({ path, method: 'POST', ...(body !== undefined && { body }), ...how })

const events = '/v1/events'
const prompts = '/v1/prompts'
const bearer = /Authorization: Bearer/
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const withMember = (member: string) => JSON.stringify(event()).replace('{', `{${member},`)

const authentication: Bad[] = [
  { name: 'no token', path: analyticsPath, token: null, status: 401, says: [/missing/, bearer] },
  {
    name: 'Basic instead of Bearer',
    path: analyticsPath,
    token: null,
    headers: { authorization: 'Basic dXNlcjpwYXNz' },
    status: 401,
    says: [/Basic/, bearer],
  },
  {
    name: 'Bearer without a token',
    path: analyticsPath,
    token: null,
    headers: { authorization: 'Bearer' },
    status: 401,
    says: [/empty/, bearer],
  },
  { name: 'a sandbox without a token', path: analyticsPath, token: '~worker-3', status: 401, says: [/empty/, bearer] },
  { name: 'no token on POST', ...post(events, event(), { token: null }), status: 401, says: [bearer] },
]

const places: Bad[] = [
  { name: 'an unknown path', path: '/v1/interactions', status: 404, says: [/\/v1\/interactions/, /\/v1\/events/] },
  { name: 'a trailing slash', ...post('/v1/events/', event()), status: 404, says: [/\/v1\/events/] },
  { name: 'the base itself', path: '/v1', status: 404, says: [/\/v1\/models\/\{modelId\}\/analytics/] },
  {
    name: 'a model without its id',
    path: '/v1/models//analytics',
    status: 404,
    says: [/\/v1\/models\/\{modelId\}\/analytics/],
  },
  {
    name: 'analytics without /v1',
    path: `/models/${modelId}/analytics`,
    status: 404,
    says: [/base URL/, new RegExp(`/v1/models/${modelId}/analytics`)],
  },
  { name: 'events without /v1', ...post('/events', event()), status: 404, says: [/base URL/, /\/v1\/events/] },
  { name: 'an unknown path without /v1', path: '/status', status: 404, says: [/\/v1/, /\/__sim/] },
  { name: 'another version', ...post('/v2/events', event()), status: 404, says: [/\/v1/] },
  { name: 'another case', ...post('/v1/Events', event()), status: 404, says: [/\/v1\/events/] },
]

const parameters: Bad[] = [
  {
    name: 'a model id that is no UUID',
    path: '/v1/models/gpt-4/analytics',
    status: 400,
    says: [/path\/modelId/, /UUID/, /"gpt-4"/],
  },
  {
    name: 'a UUID with a tail',
    path: `/v1/models/${modelId}0/analytics`,
    status: 400,
    says: [/path\/modelId/, /UUID/],
  },
  {
    name: 'period=14d',
    path: `${analyticsPath}?period=14d`,
    status: 400,
    says: [/query\/period/, /"7d", "30d", "90d"/, /"14d"/],
  },
  { name: 'an empty period', path: `${analyticsPath}?period=`, status: 400, says: [/query\/period/, /"7d"/] },
  { name: 'period in capitals', path: `${analyticsPath}?period=7D`, status: 400, says: [/query\/period/, /"7D"/] },
  {
    name: 'two periods',
    path: `${analyticsPath}?period=7d&period=30d`,
    status: 400,
    says: [/query\/period/, /one of|string/],
  },
]

const bodies: Bad[] = [
  {
    name: 'no content type',
    ...post(events, event(), { contentType: null }),
    status: 415,
    says: [/content-type/, /application\/json/],
  },
  {
    name: 'text/plain',
    ...post(events, event(), { contentType: 'text/plain' }),
    status: 415,
    says: [/content-type/, /application\/json/, /text\/plain/],
  },
  {
    name: 'a charset that JSON does not have',
    ...post(events, event(), { contentType: 'application/json; charset=utf-16' }),
    status: 415,
    says: [/content-type/, /utf-8/, /utf-16/],
  },
  {
    name: 'an encoding that nobody knows',
    ...post(events, event(), { headers: { 'content-encoding': 'rot13' } }),
    status: 415,
    says: [/body/, /encoding|rot13/],
  },
  {
    name: 'bytes that are not the gzip they claim to be',
    ...post(events, event(), { headers: { 'content-encoding': 'gzip' } }),
    status: 400,
    says: [/body/],
  },
  { name: 'an empty body', ...post(events, ''), status: 400, says: [/body/, /required/, /application\/json/] },
  { name: 'no body at all', ...post(events, undefined), status: 400, says: [/body/, /required/] },
  { name: '{', ...post(events, '{'), status: 400, says: [/body/, /must be JSON/] },
  { name: '[]', ...post(events, '[]'), status: 400, says: [/body/, /must be an object/, /array/] },
  { name: 'null', ...post(events, 'null'), status: 400, says: [/body/, /must be an object/, /null/] },
  { name: 'a bare text', ...post(events, '"event"'), status: 400, says: [/body/, /must be an object/] },
  { name: 'two values', ...post(events, `${JSON.stringify(event())} {}`), status: 400, says: [/body/, /must be JSON/] },
  {
    name: 'bytes that are not UTF-8',
    ...post(events, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    status: 400,
    says: [/body/, /UTF-8/],
  },
  {
    name: '2 MiB of body',
    ...post(events, event({ value: 'x'.repeat(2 * 1024 * 1024) })),
    status: 413,
    says: [/body/, /limit of 1mb/],
  },
  {
    name: '2 MiB of body, packed small',
    ...post(events, gzipSync(JSON.stringify(event({ value: 'x'.repeat(2 * 1024 * 1024) }))), {
      headers: { 'content-encoding': 'gzip' },
    }),
    status: 413,
    says: [/body/, /limit of 1mb/],
  },
  {
    name: 'nesting of 1,000 levels',
    ...post(events, withMember(`"properties":{"deep":${nested(1000)}}`)),
    status: 400,
    says: [/body\/properties\/deep/, /64 levels/],
  },
  { name: 'nesting of 9,000 levels', ...post(events, nested(9000)), status: 400, says: [/body/, /64 levels/] },
  { name: 'nesting of 400,000 levels', ...post(events, nested(400_000)), status: 400, says: [/body/, /64 levels/] },
  {
    name: 'a list of 10,001 numbers',
    ...post(events, withMember(`"properties":{"list":[${'1,'.repeat(10_000)}1]}`)),
    status: 400,
    says: [/body/, /10000 members and items/],
  },
  {
    name: 'a member twice',
    ...post(events, withMember('"value":"first"')),
    status: 400,
    says: [/body/, /"value" twice/],
  },
  {
    name: 'a member twice, spelled in two ways',
    ...post(events, withMember('"\\u0076alue":"first"')),
    status: 400,
    says: [/body/, /"value" twice/],
  },
  {
    name: 'a member twice, deep inside',
    ...post(events, withMember('"properties":{"a":[{"b":1,"b":2}]}')),
    status: 400,
    says: [/body/, /"b" twice/],
  },
  {
    name: '__proto__ as a key',
    ...post(events, withMember('"__proto__":{"isAdmin":true}')),
    status: 400,
    says: [/body\/__proto__/, /not allowed/],
  },
  {
    name: '__proto__ as a key of properties',
    ...post(events, withMember('"properties":{"__proto__":1}')),
    status: 400,
    says: [/body\/properties\/__proto__/, /not allowed/],
  },
  {
    name: 'a lone surrogate',
    ...post(events, withMember('"externalUserId":"\\ud800"')),
    status: 400,
    says: [/body\/externalUserId/, /surrogate/],
  },
  {
    name: 'a lone surrogate in a key',
    ...post(events, withMember('"properties":{"\\udc00":1}')),
    status: 400,
    says: [/body\/properties/, /surrogate/],
  },
]

const fields: Bad[] = [
  {
    name: 'value: 149',
    ...post(events, event({ value: 149 })),
    status: 400,
    says: [/body\/value/, /must be a string/, /149 \(a number\)/],
  },
  { name: 'value: null', ...post(events, event({ value: null })), status: 400, says: [/body\/value/, /string/] },
  {
    name: 'qualityImpactScore: 1.5',
    ...post(events, event({ qualityImpactScore: 1.5 })),
    status: 400,
    says: [/body\/qualityImpactScore/, /from -1 to 1/, /1\.5/],
  },
  {
    name: 'qualityImpactScore as text',
    ...post(events, event({ qualityImpactScore: '0.5' })),
    status: 400,
    says: [/body\/qualityImpactScore/, /a number/],
  },
  {
    name: 'qualityImpactScore beyond all numbers',
    ...post(events, withMember('"qualityImpactScore":1e400')),
    status: 400,
    says: [/body\/qualityImpactScore/, /number/],
  },
  {
    name: 'a number beyond all numbers in an unknown field',
    ...post(events, withMember('"properties":{"size":-1e999}')),
    status: 400,
    says: [/body\/properties\/size/, /number/],
  },
  {
    name: 'sampleRate: -0.1',
    ...post(events, event({ sampleRate: -0.1 })),
    status: 400,
    says: [/body\/sampleRate/, /from 0 to 1/, /-0\.1/],
  },
  {
    name: 'sampleRate: 1.01',
    ...post(events, event({ sampleRate: 1.01 })),
    status: 400,
    says: [/body\/sampleRate/, /from 0 to 1/],
  },
  {
    name: 'forceSample: "yes"',
    ...post(events, event({ forceSample: 'yes' })),
    status: 400,
    says: [/body\/forceSample/, /boolean/],
  },
  {
    name: 'influence: "good"',
    ...post(events, event({ influence: 'good' })),
    status: 400,
    says: [/body\/influence/, /"positive", "negative", "neutral"/, /"good"/],
  },
  {
    name: 'valueType: "money"',
    ...post(events, event({ valueType: 'money' })),
    status: 400,
    says: [/body\/valueType/, /"currency"/, /"money"/],
  },
  {
    name: 'productId: "abc"',
    ...post(events, event({ productId: 'abc' })),
    status: 400,
    says: [/body\/productId/, /UUID/, /"abc"/],
  },
  {
    name: 'conversationId: "abc"',
    ...post(events, event({ conversationId: 'abc' })),
    status: 400,
    says: [/body\/conversationId/, /UUID/],
  },
  {
    name: 'eventAt: "yesterday"',
    ...post(events, event({ eventAt: 'yesterday' })),
    status: 400,
    says: [/body\/eventAt/, /ISO 8601/, /"yesterday"/],
  },
  {
    name: 'properties as a list',
    ...post(events, event({ properties: [] })),
    status: 400,
    says: [/body\/properties/, /object/],
  },
  {
    name: 'an event without a type',
    ...post(events, { productId, value: '1' }),
    status: 400,
    says: [/body\/eventType/, /required/],
  },
  {
    name: 'components: []',
    ...post(prompts, prompt({ components: [] })),
    status: 400,
    says: [/body\/components/, /at least 1 item/],
  },
  {
    name: 'components as one object',
    ...post(prompts, prompt({ components: { content: 'x' } })),
    status: 400,
    says: [/body\/components/, /array/],
  },
  {
    name: 'role: ""',
    ...post(prompts, prompt({ role: '' })),
    status: 400,
    says: [/body\/role/, /at least 1 character/],
  },
  {
    name: 'a component without content',
    ...post(prompts, prompt({ components: [{ content: 'x' }, { type: 'system' }] })),
    status: 400,
    says: [/body\/components\/1\/content/, /required/],
  },
  {
    name: 'source: "nobody"',
    ...post(prompts, prompt({ source: 'nobody' })),
    status: 400,
    says: [/body\/source/, /"customer", "participant", "greenflash", "agent"/],
  },
  {
    name: 'a component\'s source: "nobody"',
    ...post(prompts, prompt({ components: [{ content: 'x', source: 'nobody' }] })),
    status: 400,
    says: [/body\/components\/0\/source/, /"customer"/],
  },
  {
    name: 'a tag that is no text',
    ...post(prompts, prompt({ tags: ['a', 1] })),
    status: 400,
    says: [/body\/tags\/1/, /string/],
  },
  {
    name: 'a prompt without a name',
    ...post(prompts, { components: [{ content: 'x' }] }),
    status: 400,
    says: [/body\/name/, /required/],
  },
  {
    name: 'a prompt\'s productId: "abc"',
    ...post(prompts, prompt({ productId: 'abc' })),
    status: 400,
    says: [/body\/productId/, /UUID/],
  },
]

const groups = { authentication, places, parameters, bodies, fields }

describe.each(Object.entries(groups))('%s', (_group, table) => {
  test.each(table)('$name is refused with $status, says what is right and changes nothing', async (bad) => {
    const before = await readStateInfo(sim())
    const answer = await ask(sim(), bad.path, bad)
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: bad.status })
    const error = errorOf(answer)
    for (const words of bad.says) expect(error).toMatch(words)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await readStateInfo(sim())).toEqual(before)
  })
})

test('a 401 says which scheme to use', async () => {
  const answer = await ask(sim(), analyticsPath, { token: null })
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
})

describe('a wrong method', () => {
  test.each([
    ['DELETE', '/v1/events', 'POST'],
    ['GET', '/v1/events', 'POST'],
    ['PATCH', '/v1/prompts', 'POST'],
    ['POST', analyticsPath, 'GET'],
    ['OPTIONS', '/v1/events', 'POST'],
  ])('%s %s is a 405 that allows %s', async (method, path, allowed) => {
    const before = await readStateInfo(sim())
    const answer = await ask(sim(), path, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe(allowed)
    expect(errorOf(answer)).toMatch(new RegExp(`${method}.*Allowed: ${allowed}`))
    expect(await readStateInfo(sim())).toEqual(before)
  })

  test('HEAD is no GET: 405, without a body', async () => {
    const answer = await ask(sim(), analyticsPath, { method: 'HEAD' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET')
    expect(answer.text).toBe('')
  })
})

describe('what is unusual but right', () => {
  test.each([
    ['a token with spaces', { token: 'a key with spaces' }],
    ['the scheme in another case', { token: null, headers: { authorization: 'bearer any-key' } }],
    ['two spaces behind the scheme', { token: null, headers: { authorization: 'Bearer  any-key' } }],
    ['a charset', { contentType: 'application/json; charset=UTF-8' }],
    ['a content type in capitals', { contentType: 'Application/JSON' }],
    ['a query that nobody asked for', { path: '/v1/events?debug=1' }],
    ['a byte order mark', { body: `\ufeff${JSON.stringify(event())}` }],
    ['nesting of 60 levels', { body: withMember(`"properties":{"deep":${nested(58)}}`) }],
    ['a text of 900,000 characters', { body: event({ value: 'x'.repeat(900_000) }) }],
    ['100,000 quotes in a text', { body: event({ value: '"'.repeat(100_000) }) }],
    ['braces and colons inside texts', { body: event({ value: '{"a":1,"a":2}' }) }],
    ['the names of object methods', { body: event({ constructor: 'x', toString: 'y', hasOwnProperty: 'z' }) }],
    ['a UUID in capitals', { body: event({ productId: productId.toUpperCase() }) }],
    ['a pair of surrogates', { body: withMember('"externalUserId":"\\ud83d\\ude00"') }],
  ] as [string, RequestOptions & { path?: string }][])('%s is accepted', async (_name, { path = events, ...how }) => {
    const answer = await ask(sim(), path, { method: 'POST', body: event(), ...how })
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 })
  })

  test('a body on GET is passed over', async () => {
    const [answer] = await Promise.all([ask(sim(), '/v1/events', { method: 'DELETE', body: 'x'.repeat(3_000_000) })])
    expect(answer.status).toBe(405)
  })
})
