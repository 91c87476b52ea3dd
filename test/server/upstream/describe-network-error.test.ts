import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createUpstreamClient } from '../../../src/server/upstream/client.ts'
import { describeNetworkError } from '../../../src/server/upstream/describe-network-error.ts'
import { sendWithRetries } from '../../../src/server/upstream/send.ts'
import { listenForTest } from '../../support/fake-upstream.ts'

const origin = 'https://api.example.com'

test.each([
  ['CERT_HAS_EXPIRED', 'certificate', /cannot be trusted: something else \(CERT_HAS_EXPIRED\)\. Nothing was sent/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', /cannot be trusted/],
  ['ENOTFOUND', 'connection', /its host name is unknown; is it spelled correctly\? \(ENOTFOUND\)$/],
  ['ECONNREFUSED', 'connection', /refused the connection/],
  ['ECONNRESET', 'connection', /before the response was complete\. \(ECONNRESET\)$/],
  ['EPROTO', 'connection', /is the scheme \(https or http\) correct/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'connection', /is the scheme \(https or http\) correct/],
  ['EOTHER', 'connection', /There was no valid response .*: something else\. \(EOTHER\)$/],
])('%s is described as a %s problem', (code, kind, sentence) => {
  const error = Object.assign(new Error('something else'), { code })
  const problem = describeNetworkError(error, origin)
  expect(problem).toEqual({ problem: kind, sentence: expect.stringMatching(sentence) })
  expect(problem.sentence).toContain(origin)
})

test('the failure of an HTTPS request to an HTTP service is described as a failed TLS handshake', async () => {
  const origin = `https://127.0.0.1:${await listenForTest(createServer())}`
  const client = createUpstreamClient({ origin, basePath: '', token: undefined, timeoutMs: 60_000 })
  const retryOptions = { now: Date.now, sleep: () => Promise.resolve(), maxPauseMs: 0 }
  const request = { method: 'GET', target: '/models', body: undefined }
  const { samples } = await sendWithRetries(client, request, false, retryOptions)
  expect(samples[0]?.response).toEqual({
    problem: 'connection',
    sentence: expect.stringMatching(/no valid response .*: the TLS handshake failed; .* \(\w+\)$/),
  })
})
