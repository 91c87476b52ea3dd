import { expect, test } from 'vitest'
import { describeNetworkError } from '../../src/upstream/describe-network-error.ts'

const origin = 'https://api.example.com'

test.each([
  ['CERT_HAS_EXPIRED', 'certificate', /its certificate has expired \(CERT_HAS_EXPIRED\)/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', /for another host name/],
  ['ENOTFOUND', 'connection', /its host name is not known; is it spelt right\? \(ENOTFOUND\)$/],
  ['ECONNREFUSED', 'connection', /refuses the connection/],
  ['ECONNRESET', 'connection', /broke the connection before it answered\. \(ECONNRESET\)$/],
  ['EPROTO', 'connection', /is the scheme right, https or http/],
  ['EOTHER', 'connection', /cannot be reached: something else\. \(EOTHER\)$/],
])('%s is described as a problem of the %s', (code, kind, sentence) => {
  const error = Object.assign(new Error('something else'), { code })
  const problem = describeNetworkError(error, origin)
  expect(problem).toEqual({ kind, sentence: expect.stringMatching(sentence) })
  expect(problem.sentence).toContain(origin)
})
