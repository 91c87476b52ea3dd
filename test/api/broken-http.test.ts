import { expect } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import { analyticsPath, event, expectRefusal, readStateInfo } from '../support/client.ts'
import { callRaw, connectTo, postText, requestText, sendRaw } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, test } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

const sim = sharedSimulator()

const get = (target: string, headers: readonly string[] = []) => requestText('GET', target, headers)
const post = (body: Json, headers: readonly string[] = []) => postText('/v1/events', body, headers)

test.each([
  ['a lone percent sign in the path', get('/v1/models/%/analytics'), 400, /%25/],
  ['a lone percent sign in an unknown path', get('/100%'), 400, /%25/],
  ['an escape that is not UTF-8', get('/v1/models/%FF/analytics'), 400, /percent-encoding/],
  ['a header of 20 KiB', get(analyticsPath, [`X-Long: ${'x'.repeat(20 * 1024)}`]), 431, /16 KiB/],
  ['a path of 20 KiB', get(`/v1/${'x'.repeat(20 * 1024)}`), 431, /16 KiB/],
  ['no Host header', 'GET /v1/events HTTP/1.1\r\n\r\n', 400, /Host/],
  ['two identical Host headers', get('/v1/events', ['Host: localhost']), 400, /more than one Host/],
  ['two different Host headers', get('/v1/events', ['hOST: example.com']), 400, /more than one Host/],
  ['two Host headers in HTTP/1.0', 'GET /v1/events HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, /more than one Host/],
  ['not HTTP at all', 'hello\r\n\r\n', 400, /cannot be processed/],
  ['an unknown method', 'BREW /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, /cannot be processed/],
  ['both Content-Length and a chunked body', post('{}', ['Transfer-Encoding: chunked']), 400, /cannot be processed/],
  ['CONNECT', 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n', 400, /CONNECT/],
  ['OPTIONS with *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, /target must be a path; got "\*"/],
  ['an absolute URL with an unclosed bracket', get('http://[::1/v2/x'), 404, /\/v1/],
  ['an absolute URL with an unsupported scheme', get('gopher://[::1/v1/x'), 400, /target must be a path/],
  ['two leading slashes', get('//v1/events'), 404, /\/v1/],
  ['an unsupported expectation', post('{}', ['Expect: a-miracle']), 417, /Expect|expectation/],
])('a bad request has no effect and gets an error in the service’s format: %s', async (_name, text, status, words) => {
  const before = await readStateInfo(sim())
  const response = await callRaw(sim().origin, text)
  expectRefusal(response, status, words)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(await readStateInfo(sim())).toEqual(before)
})

test('a header after 3,000 other headers is still read', async () => {
  const head = `GET ${analyticsPath} HTTP/1.1\r\nHost: localhost\r\n${'a:\r\n'.repeat(3000)}`
  expect((await callRaw(sim().origin, `${head}Authorization: Bearer any-key\r\n\r\n`)).status).toBe(200)
})

test('an absolute URL as the request target is treated like its path', async () => {
  const response = await callRaw(sim().origin, get(`${sim().origin}${analyticsPath}`))
  expect({ status: response.status, text: response.text.slice(0, 300) }).toMatchObject({ status: 200 })
})

test('a request for an absolute URL with an invalid host is recorded', async ({ own }) => {
  await callRaw(own.origin, get('http://[::1/v2/x'))
  expect(await listRequests(own)).toMatchObject([{ request: { path: '/v2/x' } }])
})

test('an absolute URL without a path is a request for the root', async () => {
  const response = await callRaw(sim().origin, get(sim().origin))
  expect(response.headers).toMatchObject({ location: '/__sim/info' })
})

test('a chunked body is accepted', async () => {
  const body = JSON.stringify(event())
  const half = Math.floor(body.length / 2)
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const head = requestText('POST', '/v1/events', ['Transfer-Encoding: chunked', 'Content-Type: application/json'])
  const text = head + chunk(body.slice(0, half)) + chunk(body.slice(half)) + chunk('')
  expect((await callRaw(sim().origin, text)).status).toBe(201)
})

test.each([
  ['/v1/events', event(), 201],
  ['/__sim/verify', '{}', 200],
])('a request to %s with Expect: 100-continue gets a 100 before the final response', async (path, body, status) => {
  const text = post(body, ['Expect: 100-continue']).replace('/v1/events', path)
  const responses = await sendRaw(sim().origin, text, 2)
  expect(responses.map((response) => response.status)).toEqual([100, status])
})

test('a client that awaits 100 Continue before sending an oversized body gets a 413, which is recorded', async () => {
  const own = await startForTest({ bodyLimit: '1kb' })
  const connection = await connectTo(own.origin)
  connection.send(post('', ['Expect: 100-continue']).replace('Content-Length: 0', 'Content-Length: 1025'))
  const refused = await connection.response()
  expectRefusal(refused, 413, /larger than the limit of 1kb/)
  expect(refused.headers).toMatchObject({ connection: 'close' })
  await connection.closed()
  const response = { status: 413, origin: 'contract' }
  expect(await listRequests(own)).toMatchObject([{ operation: 'createEvent', response }])
})

test('a Content-Length above the limit is refused before the body is sent', async () => {
  const connection = await connectTo(sim().origin)
  const length = 3_000_000
  connection.send(post('').replace('Content-Length: 0', `Content-Length: ${length}`))
  expectRefusal(await connection.response(), 413, /larger than the limit of 1mb/)
  connection.send('x'.repeat(length) + post(event()))
  expect((await connection.response()).status).toBe(201)
  connection.destroy()
})

test('a client without the control token gets a 401 instead of 100 Continue', async () => {
  const own = await startForTest({ controlToken: 'secret' })
  const head = post('', ['Expect: 100-continue']).replace('Content-Length: 0', 'Content-Length: 1000')
  const connection = await connectTo(own.origin)
  connection.send(head.replace('/v1/events', '/__sim/verify'))
  expect((await connection.response()).status).toBe(401)
  await connection.closed()
})

test('a request that ends in the middle of its body is refused, and its connection is closed', async () => {
  const connection = await connectTo(sim().origin)
  connection.send(post(event()).slice(0, -10))
  connection.end()
  expect((await connection.response()).status).toBe(400)
  await connection.closed()
})

test('the journal has the first value of a repeated User-Agent, but all values of a custom header', async ({ own }) => {
  const lines = ['Authorization: Bearer other', 'User-Agent: a', 'User-Agent: b', 'X-Team: red', 'X-Team: blue']
  expect((await callRaw(own.origin, get(analyticsPath, lines))).status).toBe(200)
  const headers = { 'user-agent': 'a', 'x-team': 'red, blue' }
  expect(await listRequests(own)).toMatchObject([{ request: { headers } }])
})
