import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
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

/** A name, the request, its status, and what the message must say: the place, and what is right. */
type Bad = [string, RequestOptions & { readonly path: string }, number, readonly RegExp[]]

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

const sent = (fields: JsonObject) => post(events, event(fields))
const drafted = (fields: JsonObject) => post(prompts, prompt(fields))
const raw = (member: string) => post(events, withMember(member))

const authentication: Bad[] = [
  ['no token', { path: analyticsPath, token: null }, 401, [/missing/, bearer]],
  [
    'Basic instead of Bearer',
    { path: analyticsPath, token: null, headers: { authorization: 'Basic dXNlcjpwYXNz' } },
    401,
    [/Basic/, bearer],
  ],
  ['no token on POST', post(events, event(), { token: null }), 401, [bearer]],
]

const places: Bad[] = [
  ['an unknown path', { path: '/v1/interactions' }, 404, [/\/v1\/interactions/, /\/v1\/events/]],
  ['a trailing slash', post('/v1/events/', event()), 404, [/\/v1\/events/]],
  ['the base itself', { path: '/v1' }, 404, [/\/v1\/models\/\{modelId\}\/analytics/]],
  ['a model without its id', { path: '/v1/models//analytics' }, 404, [/\/v1\/models\/\{modelId\}\/analytics/]],
  [
    'analytics without /v1',
    { path: `/models/${modelId}/analytics` },
    404,
    [/base URL/, new RegExp(`/v1/models/${modelId}/analytics`)],
  ],
  ['events without /v1', post('/events', event()), 404, [/base URL/, /\/v1\/events/]],
  ['an unknown path without /v1', { path: '/status' }, 404, [/\/v1/, /\/__sim/]],
  ['another version', post('/v2/events', event()), 404, [/\/v1/]],
  ['another case', post('/v1/Events', event()), 404, [/\/v1\/events/]],
]

const parameters: Bad[] = [
  ['a model id that is no UUID', { path: '/v1/models/gpt-4/analytics' }, 400, [/path\/modelId/, /UUID/, /"gpt-4"/]],
  ['a UUID with a tail', { path: `/v1/models/${modelId}0/analytics` }, 400, [/path\/modelId/, /UUID/]],
  ['period=14d', { path: `${analyticsPath}?period=14d` }, 400, [/query\/period/, /"7d", "30d", "90d"/, /"14d"/]],
  ['an empty period', { path: `${analyticsPath}?period=` }, 400, [/query\/period/, /"7d"/]],
  ['period in capitals', { path: `${analyticsPath}?period=7D` }, 400, [/query\/period/, /"7D"/]],
  ['two periods', { path: `${analyticsPath}?period=7d&period=30d` }, 400, [/query\/period/, /one of|string/]],
]

const bodies: Bad[] = [
  ['no content type', post(events, event(), { contentType: null }), 415, [/content-type/, /application\/json/]],
  [
    'text/plain',
    post(events, event(), { contentType: 'text/plain' }),
    415,
    [/content-type/, /application\/json/, /text\/plain/],
  ],
  [
    'a charset that JSON does not have',
    post(events, event(), { contentType: 'application/json; charset=utf-16' }),
    415,
    [/content-type/, /utf-8/, /utf-16/],
  ],
  [
    'an encoding that nobody knows',
    post(events, event(), { headers: { 'content-encoding': 'rot13' } }),
    415,
    [/body/, /encoding|rot13/],
  ],
  ['an empty body', post(events, ''), 400, [/body/, /required/, /application\/json/]],
  ['no body at all', post(events, undefined), 400, [/body/, /required/]],
  ['{', post(events, '{'), 400, [/body/, /must be JSON/]],
  ['[]', post(events, '[]'), 400, [/body/, /must be an object/, /array/]],
  ['null', post(events, 'null'), 400, [/body/, /must be an object/, /null/]],
  ['bytes that are not UTF-8', post(events, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])), 400, [/body/, /UTF-8/]],
  ['2 MiB of body', sent({ value: 'x'.repeat(2 * 1024 * 1024) }), 413, [/body/, /limit of 1mb/]],
  [
    'nesting of 1,000 levels',
    raw(`"properties":{"deep":${nested(1000)}}`),
    400,
    [/body\/properties\/deep/, /64 levels/],
  ],
  ['nesting of 400,000 levels', post(events, nested(400_000)), 400, [/body/, /64 levels/]],
  [
    'a list of 10,001 numbers',
    raw(`"properties":{"list":[${'1,'.repeat(10_000)}1]}`),
    400,
    [/body/, /10000 members and items/],
  ],
  ['a member twice', raw('"value":"first"'), 400, [/body/, /"value" twice/]],
  ['__proto__ as a key', raw('"__proto__":{"isAdmin":true}'), 400, [/body\/__proto__/, /not allowed/]],
  ['a lone surrogate', raw('"externalUserId":"\\ud800"'), 400, [/body\/externalUserId/, /surrogate/]],
]

const fields: Bad[] = [
  ['value: 149', sent({ value: 149 }), 400, [/body\/value/, /must be a string/, /149 \(a number\)/]],
  ['value: null', sent({ value: null }), 400, [/body\/value/, /string/]],
  [
    'qualityImpactScore: 1.5',
    sent({ qualityImpactScore: 1.5 }),
    400,
    [/body\/qualityImpactScore/, /from -1 to 1/, /1\.5/],
  ],
  ['qualityImpactScore as text', sent({ qualityImpactScore: '0.5' }), 400, [/body\/qualityImpactScore/, /a number/]],
  [
    'qualityImpactScore beyond all numbers',
    raw('"qualityImpactScore":1e400'),
    400,
    [/body\/qualityImpactScore/, /number/],
  ],
  [
    'a number beyond all numbers in an unknown field',
    raw('"properties":{"size":-1e999}'),
    400,
    [/body\/properties\/size/, /number/],
  ],
  ['sampleRate: -0.1', sent({ sampleRate: -0.1 }), 400, [/body\/sampleRate/, /from 0 to 1/, /-0\.1/]],
  ['sampleRate: 1.01', sent({ sampleRate: 1.01 }), 400, [/body\/sampleRate/, /from 0 to 1/]],
  ['forceSample: "yes"', sent({ forceSample: 'yes' }), 400, [/body\/forceSample/, /boolean/]],
  [
    'influence: "good"',
    sent({ influence: 'good' }),
    400,
    [/body\/influence/, /"positive", "negative", "neutral"/, /"good"/],
  ],
  ['valueType: "money"', sent({ valueType: 'money' }), 400, [/body\/valueType/, /"currency"/, /"money"/]],
  ['productId: "abc"', sent({ productId: 'abc' }), 400, [/body\/productId/, /UUID/, /"abc"/]],
  ['conversationId: "abc"', sent({ conversationId: 'abc' }), 400, [/body\/conversationId/, /UUID/]],
  ['eventAt: "yesterday"', sent({ eventAt: 'yesterday' }), 400, [/body\/eventAt/, /ISO 8601/, /"yesterday"/]],
  ['properties as a list', sent({ properties: [] }), 400, [/body\/properties/, /object/]],
  ['an event without a type', post(events, { productId, value: '1' }), 400, [/body\/eventType/, /required/]],
  ['components: []', drafted({ components: [] }), 400, [/body\/components/, /at least 1 item/]],
  ['components as one object', drafted({ components: { content: 'x' } }), 400, [/body\/components/, /array/]],
  ['role: ""', drafted({ role: '' }), 400, [/body\/role/, /at least 1 character/]],
  [
    'a component without content',
    drafted({ components: [{ content: 'x' }, { type: 'system' }] }),
    400,
    [/body\/components\/1\/content/, /required/],
  ],
  [
    'source: "nobody"',
    drafted({ source: 'nobody' }),
    400,
    [/body\/source/, /"customer", "participant", "greenflash", "agent"/],
  ],
  [
    'a component\'s source: "nobody"',
    drafted({ components: [{ content: 'x', source: 'nobody' }] }),
    400,
    [/body\/components\/0\/source/, /"customer"/],
  ],
  ['a tag that is no text', drafted({ tags: ['a', 1] }), 400, [/body\/tags\/1/, /string/]],
  ['a prompt without a name', post(prompts, { components: [{ content: 'x' }] }), 400, [/body\/name/, /required/]],
  ['a prompt\'s productId: "abc"', drafted({ productId: 'abc' }), 400, [/body\/productId/, /UUID/]],
]

const groups = { authentication, places, parameters, bodies, fields }

describe.each(Object.entries(groups))('%s', (_group, table) => {
  test.each(table)('%s is refused, says what is right and changes nothing', async (_name, request, status, says) => {
    const before = await readStateInfo(sim())
    const answer = await ask(sim(), request.path, request)
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status })
    const error = errorOf(answer)
    for (const words of says) expect(error).toMatch(words)
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
    ['the scheme in another case', { token: null, headers: { authorization: 'bearer any-key' } }],
    ['a charset', { contentType: 'application/json; charset=UTF-8' }],
    ['a content type in capitals', { contentType: 'Application/JSON' }],
    ['a query that nobody asked for', { path: '/v1/events?debug=1' }],
    ['nesting of 60 levels', { body: withMember(`"properties":{"deep":${nested(58)}}`) }],
    ['a text of 900,000 characters', { body: event({ value: 'x'.repeat(900_000) }) }],
    ['the names of object methods', { body: event({ constructor: 'x', toString: 'y', hasOwnProperty: 'z' }) }],
    ['a UUID in capitals', { body: event({ productId: productId.toUpperCase() }) }],
  ] as [string, RequestOptions & { path?: string }][])('%s is accepted', async (_name, { path = events, ...how }) => {
    const answer = await ask(sim(), path, { method: 'POST', body: event(), ...how })
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 })
  })

  test('a body on GET is passed over', async () => {
    const answer = await ask(sim(), '/v1/events', { method: 'DELETE', body: 'x'.repeat(3_000_000) })
    expect(answer.status).toBe(405)
  })
})
