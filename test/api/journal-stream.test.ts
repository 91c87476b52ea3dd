import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, onTestFinished } from 'vitest'
import { harSchema } from '../server/journal/har-schema.ts'
import { analyticsPath, call, errorOf, event, expectRefusal, prompt } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { connectTo, requestText } from '../support/raw-http.ts'
import { type TestSimulator, test } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

/** Opens a stream of the journal. `readUntil` reads until the text received so far matches a pattern. */
async function follow(sim: TestSimulator, query = '', headers: Record<string, string> = {}) {
  const response = await fetch(`${sim.origin}/__sim/requests/stream?${query}`, { headers })
  const reader = response.body?.getReader()
  if (!reader) throw new Error('no stream')
  let text = ''
  const readUntil = async (expected: RegExp) => {
    while (!expected.test(text)) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`the stream ended after ${text}`)
      text += new TextDecoder().decode(value)
    }
    return text
  }
  onTestFinished(() => reader.cancel().catch(() => undefined))
  return { response, readUntil, cancel: () => reader.cancel() }
}

test('a stream sends each request as soon as it is recorded', async ({ own }) => {
  await call(own, analyticsPath)
  const { response, readUntil } = await follow(own)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  await call(own, '/v1/events', { body: event() })
  const text = await readUntil(/\nid: 2\n.*\n\n/)
  expect(text).not.toContain('id: 1')
  const [, data = ''] = /^data: (.*)$/m.exec(text) ?? []
  expect([JSON.parse(data)]).toEqual(await listRequests(own, 'since=1'))
})

test.for<[string, string, Record<string, string>, number[]]>([
  ['after the request in Last-Event-ID', '', { 'last-event-id': '1' }, [2, 3, 4, 5]],
  ['after the request in `since`', 'since=1', {}, [2, 3, 4, 5]],
  ['at the first request if Last-Event-ID is from an earlier process', '', { 'last-event-id': '99' }, [1, 2, 3, 4, 5]],
  ['after the request in `since`, even if that request has not arrived yet', 'since=4', {}, [5]],
])('a stream starts %s', async ([, query, headers, numbers], { own }) => {
  for (let count = 0; count < 3; count += 1) await call(own, analyticsPath)
  const { readUntil } = await follow(own, query, headers)
  for (let count = 0; count < 2; count += 1) await call(own, analyticsPath)
  const text = await readUntil(/\nid: 5\n.*\n\n/)
  expect([...text.matchAll(/^id: (\d)$/gm)].map(([, id]) => Number(id))).toEqual(numbers)
})

test('a stream accepts the filters of the request list and includes bodies with bodies=true', async ({ own }) => {
  const { readUntil } = await follow(own, 'status=201&sandbox=*&bodies=true')
  await call(own, analyticsPath)
  await call(own, '/v1/events', { body: event({ insertId: 'in-the-body' }), headers: { 'x-sim-sandbox': 'a' } })
  const text = await readUntil(/\nid: 2\n.*\n\n/)
  expect([text.includes('id: 1'), text.includes('"insertId":"in-the-body"')]).toEqual([false, true])
})

test('stopping the simulator ends all streams without waiting for their readers', async ({ own }) => {
  const followed = await Promise.all([follow(own), follow(own, 'sandbox=*')])
  for (const { readUntil } of followed) await readUntil(/^: /)
  const ends = followed.map(({ readUntil }) => expect(readUntil(/never sent/)).rejects.toThrow('the stream ended'))
  await own.close() // a stream that is cut off instead throws a different error
  await Promise.all(ends)
})

test('an invalid stream request gets a JSON refusal, and a HEAD request gets only the headers', async ({ own }) => {
  errorOf(await call(own, '/__sim/requests/stream?status=many'))
  const head = await fetch(`${own.origin}/__sim/requests/stream`, { method: 'HEAD' })
  expect(head.status).toBe(200)
  expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
})

test('at most 100 streams can be open at a time, and another stream is refused until one ends', async ({ own }) => {
  const url = `${own.origin}/__sim/requests/stream`
  for (let count = 0; count < 120; count += 1) await fetch(url, { method: 'HEAD' }) // HEAD opens no stream
  const followed = await Promise.all(Array.from({ length: 100 }, () => follow(own)))
  expectRefusal(await call(own, '/__sim/requests/stream', { token: null }), 429, /100 streams.*since=/)
  await followed[0]?.cancel()
  await expect.poll(async () => (await follow(own)).response.status).toBe(200)
})

test.for(['default', '*'])('a stream for sandbox=%s reports that requests were deleted', async (sandbox, { own }) => {
  await call(own, analyticsPath)
  const { readUntil } = await follow(own, `sandbox=${sandbox}`)
  await readUntil(/^: /)
  await call(own, analyticsPath)
  await readUntil(/\nid: 2\n/)
  await call(own, analyticsPath, { headers: { 'x-sim-sandbox': 'other' } }) // a new sandbox causes no `cleared` event
  await callControl(own, 'POST', '/reset')
  await call(own, analyticsPath)
  const text = await readUntil(/\nid: 4\n/)
  const events = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
  expect(events).toEqual(['request', ...(sandbox === '*' ? ['request'] : []), 'cleared', 'request'])
})

const ajv = new Ajv2020({ allErrors: true, strict: false })
addFormats.default(ajv)
const validate = ajv.compile(harSchema)

test('the HAR export is valid, contains no credentials, and can be filtered', async ({ own }) => {
  const token = 'my-secret-token'
  await call(own, `${analyticsPath}?period=7d`, { token })
  const body = event({ value: 5, properties: { password: 'hunter2', note: token } })
  await call(own, '/v1/events', { body, token })
  await call(own, '/v1/prompts', { body: prompt(), scenario: 'reset' }).catch(() => undefined)
  await call(own, '/v1/events', { body: Uint8Array.of(0xff, 0), contentType: 'application/octet-stream' })
  await call(own, '/v1/events', { body: new TextEncoder().encode('\uFEFF[]'), contentType: 'application/json' })
  const { text, headers } = await call(own, '/__sim/requests?format=har', { token: null })
  expect(headers.get('content-type')).toBe('application/har+json; charset=utf-8')
  const har = JSON.parse(text)
  expect([validate(har), validate.errors]).toEqual([true, null])
  expect(text).not.toMatch(/my-secret|hunter2/)
  const [analytics, invalid, reset, binary, withBom] = har.log.entries
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
  expect(withBom).toMatchObject({ request: { bodySize: 5, postData: { text: '\uFEFF[]' } } })

  const filtered = await call(own, '/__sim/requests?format=har&status=4xx&limit=1', { token: null })
  const { log } = JSON.parse(filtered.text)
  expect(log).toMatchObject({ _total: 3, _next: 2, entries: [{ response: { status: 400 } }] })
})

test('a request whose client disconnects before the first response byte has status 0 in the HAR export', async ({
  own,
}) => {
  const connection = await connectTo(own.origin)
  connection.send(requestText('GET', analyticsPath, ['X-Sim-Scenario: slow;ms=60000']))
  await call(own, '/__sim/health', { token: null }) // makes sure that the request above has arrived
  connection.destroy()
  await callControl(own, 'POST', '/verify', { count: { atLeast: 1 }, withinMs: 30_000 })
  const { text } = await call(own, '/__sim/requests?format=har', { token: null })
  const [entry] = JSON.parse(text).log.entries
  expect(entry).toMatchObject({ response: { status: 0, content: { size: 0 } }, _delivery: { outcome: 'client-gone' } })
})
