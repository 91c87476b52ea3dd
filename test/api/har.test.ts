import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { harSchema } from '../server/journal/har-schema.ts'
import { analyticsPath, ask, event, prompt } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { connectTo, requestText } from '../support/raw-http.ts'
import { test } from '../support/start.ts'

const ajv = new Ajv2020({ allErrors: true, strict: false })
addFormats.default(ajv)
const validate = ajv.compile(harSchema)

test('the recorded requests are exported as a valid HAR file, filtered and without credentials', async ({ own }) => {
  const token = 'my-secret-token'
  await ask(own, `${analyticsPath}?period=7d`, { token })
  const body = event({ value: 5, properties: { password: 'hunter2', note: token } })
  await ask(own, '/v1/events', { body, token })
  await ask(own, '/v1/prompts', { body: prompt(), scenario: 'reset' }).catch(() => undefined)
  await ask(own, '/v1/events', { body: Uint8Array.of(0xff, 0), contentType: 'application/octet-stream' })
  await ask(own, '/v1/events', { body: new TextEncoder().encode('\uFEFF[]'), contentType: 'application/json' })
  const { text, headers } = await ask(own, '/__sim/requests?format=har', { token: null })
  expect(headers.get('content-type')).toBe('application/har+json; charset=utf-8')
  const har = JSON.parse(text)
  expect([validate(har), validate.errors]).toEqual([true, null])
  expect(text).not.toMatch(/my-secret|hunter2/)
  const [analytics, invalid, reset, binary, marked] = har.log.entries
  const url = `${own.origin}${analyticsPath}?period=7d`
  expect(analytics).toMatchObject({
    ...{ _operation: 'getModelAnalytics', _sandbox: 'default' },
    request: { method: 'GET', url, queryString: [{ name: 'period', value: '7d' }] },
    response: { status: 200, content: { mimeType: 'application/json; charset=utf-8' } },
  })
  expect(invalid).toMatchObject({
    request: { postData: { mimeType: 'application/json', text: expect.stringContaining('[redacted]') } },
    response: { status: 400 },
    _violations: [{ in: 'body', pointer: '/value', keyword: 'type' }],
  })
  expect(reset).toMatchObject({ response: { status: 0, content: { size: 0 } }, _damage: ['reset'] })
  expect(binary).toMatchObject({ request: { postData: { text: '/wA=', _encoding: 'base64' } } })
  expect(marked).toMatchObject({ request: { bodySize: 5, postData: { text: '\uFEFF[]' } } })

  const refused = await ask(own, '/__sim/requests?format=har&status=4xx&limit=1', { token: null })
  const { log } = JSON.parse(refused.text)
  expect(log).toMatchObject({ _total: 3, _next: 2, entries: [{ response: { status: 400 } }] })
})

test('a request whose client left before the first byte of its response has the status 0', async ({ own }) => {
  const connection = await connectTo(own.origin)
  connection.send(requestText('GET', analyticsPath, ['X-Sim-Scenario: slow;ms=60000']))
  await ask(own, '/__sim/health', { token: null }) // so that the request has arrived
  connection.destroy()
  await steer(own, 'POST', '/verify', { count: { atLeast: 1 }, withinMs: 30_000 })
  const { text } = await ask(own, '/__sim/requests?format=har', { token: null })
  const [left] = JSON.parse(text).log.entries
  expect(left).toMatchObject({ response: { status: 0, content: { size: 0 } }, _delivery: { outcome: 'client-gone' } })
})
