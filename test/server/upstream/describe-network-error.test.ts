import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { describeNetworkError } from '../../../src/server/upstream/describe-network-error.ts'
import { parseUpstream } from '../../../src/server/upstream/parse-upstream.ts'
import { send } from '../../../src/server/upstream/send.ts'

const origin = 'https://api.example.com'

test.each([
  ['CERT_HAS_EXPIRED', 'certificate', /its certificate has expired \(CERT_HAS_EXPIRED\)/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', /for another host name/],
  ['ENOTFOUND', 'connection', /its host name is not known; is it spelt right\? \(ENOTFOUND\)$/],
  ['ECONNREFUSED', 'connection', /refuses the connection/],
  ['ECONNRESET', 'connection', /broke the connection before it responded\. \(ECONNRESET\)$/],
  ['EPROTO', 'connection', /is the scheme right, https or http/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'connection', /is the scheme right, https or http/],
  ['UND_ERR_SOCKET', 'connection', /broke the connection before it responded/],
  ['CERT_REVOKED', 'certificate', /its certificate is not valid: something else \(CERT_REVOKED\)\. Nothing was sent/],
  ['EOTHER', 'connection', /cannot be reached: something else\. \(EOTHER\)$/],
])('%s is described as a problem of the %s', (code, kind, sentence) => {
  const error = Object.assign(new Error('something else'), { code })
  const problem = describeNetworkError(error, origin)
  expect(problem).toEqual({ problem: kind, sentence: expect.stringMatching(sentence) })
  expect(problem.sentence).toContain(origin)
  expect(describeNetworkError(new TypeError('fetch failed', { cause: error }), origin)).toEqual(problem)
})

test('drift names https for a service that speaks http as the proxy does', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const upstream = parseUpstream(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, false)
  if (!upstream.ok) throw new Error(upstream.error)
  const access = { upstream: upstream.value, token: undefined, timeoutMs: 60_000, userAgent: 'test', now: () => 0 }
  const { response } = await send(access, { method: 'GET', target: '/models', body: undefined })
  expect(response).toEqual({
    problem: 'connection',
    sentence: expect.stringMatching(/cannot be reached: it does not speak TLS as expected; .* \(\w+\)$/),
  })
})

test('the abort of a request, whose cause has a number as its code, is described', () => {
  const abort = Object.assign(new Error('The operation was aborted', { cause: AbortSignal.abort().reason }), {
    code: 'ABORT_ERR',
  })
  for (const error of [abort, abort.cause]) expect(describeNetworkError(error, origin).sentence).toContain('aborted')
})
