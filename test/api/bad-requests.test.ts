import { expect, test } from 'vitest'
import { groupBy } from '../../src/base/core/group-by.ts'
import { allOperations } from '../support/all-operations.ts'
import { analyticsPath, ask, event, expectRefusal, type RequestOptions, readStateInfo } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

type Request = RequestOptions & { readonly path: string }

/** A name, the request, its status, and what the message must say: the place, and what is right. */
type Bad = [string, Request, number, readonly RegExp[]]

const post = (path: string, body: RequestOptions['body'], how: RequestOptions = {}): Request => {
  return { path, method: 'POST', ...(body !== undefined && { body }), ...how }
}

const events = '/v1/events'
const withMember = (member: string) => JSON.stringify(event()).replace('{', `{${member},`)

const bad: Bad[] = [
  ['an unknown path', { path: '/v1/interactions' }, 404, [/\/v1\/interactions/, /\/v1\/events/]],
  ['analytics without /v1', { path: analyticsPath.slice(3) }, 404, [/base URL/, new RegExp(analyticsPath)]],
  [
    'a sandbox without /v1',
    { path: `/_s/ra${analyticsPath.slice(3)}` },
    404,
    [/ends in \/_s\/ra\/v1: ask for \/_s\/ra\/v1\/m/],
  ],
  ['controls in a sandbox', { path: '/_s/ra/__sim/info' }, 404, [/served at \/_s\/ra\/__sim\/info\. .* \/_s\/ra\/v1,/]],
  ['events without /v1', post('/events', event()), 404, [/base URL/, /\/v1\/events/]],
  ['another version', post('/v2/events', event()), 404, [/\/v1/]],
  ['an empty period', { path: `${analyticsPath}?period=` }, 400, [/query\/period/, /"7d"/]],
  ['no content type', post(events, event(), { contentType: null }), 415, [/content-type/, /application\/json/]],
  ['an empty body', post(events, ''), 400, [/body/, /required/, /application\/json/]],
  ['no body at all', post(events, undefined), 400, [/body/, /required/]],
  ['[]', post(events, '[]'), 400, [/body/, /must be an object/, /array/]],
  ['a member twice', post(events, withMember('"value":"first"')), 400, [/body/, /"value" twice/]],
]

test.each(bad)('%s is refused, says what is right and changes nothing', async (_name, request, status, says) => {
  const before = await readStateInfo(sim())
  const response = await ask(sim(), request.path, request)
  expectRefusal(response, status, ...says)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await readStateInfo(sim())).toEqual(before)
})

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']
const documented = groupBy(allOperations, ({ path }) => path.replace(/\?.*/, ''))
const wrongMethods = Array.from(documented, ([path, own]) => ({ path, allowed: own.map(({ method }) => method) }))
  .flatMap((of) => methods.map((method) => ({ ...of, method })))
  .filter(({ method, allowed }) => !allowed.includes(method))

test.each(wrongMethods)('the wrong method $method on $path is a 405 that allows $allowed', async (wrong) => {
  const { method, path } = wrong
  const allowed = wrong.allowed.join(', ')
  const before = await readStateInfo(sim())
  const response = await ask(sim(), path, { method })
  expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
  if (method === 'HEAD') expect(response.text).toBe('')
  else expectRefusal(response, 405, new RegExp(`${method}.*Allowed: ${allowed}`))
  expect(await readStateInfo(sim())).toEqual(before)
})

test.each<[string, Partial<Request>]>([
  ['a charset', { contentType: 'application/json; charset=UTF-8' }],
  ['a content type in capitals', { contentType: 'Application/JSON' }],
  ['a query that nobody asked for', { path: '/v1/events?debug=1' }],
  ['a text of 900,000 characters', { body: event({ value: 'x'.repeat(900_000) }) }],
])('what is unusual but right is accepted: %s', async (_name, { path = events, ...how }) => {
  const response = await ask(sim(), path, { method: 'POST', body: event(), ...how })
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 201 })
})
