import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { readTrafficFile, type TrafficForm } from '../../src/traffic/read-traffic-file.ts'
import type { TrafficSample } from '../../src/traffic/sample.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function read(content: Json | string, form: TrafficForm) {
  const file = join(await tempFolder(), 'traffic.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  const samples = await readTrafficFile(file, form)
  return samples.ok ? samples.value : samples.error
}

const samplesOf = (samples: TrafficSample[] | string) => (typeof samples === 'string' ? [] : samples)

/** An exchange that the proxy refused because the real service gave no answer. */
const refusedBy = (status: number, error: string) => ({
  answer: { status, origin: 'simulator', body: { size: 9, json: { success: false, error } } },
})

/** An answer of the real service whose delivery had another end. */
const ended = (outcome: string) => ({
  answer: { status: 200, origin: 'upstream' },
  delivery: { outcome, sentBytes: 12 },
})

const entry = (response: Json, headers: Json = []): Json => ({
  time: 12.5,
  request: { method: 'GET', url: 'https://api.example.com/v1/models?api_key=abcdef123&period=7d', headers },
  response,
})

describe('a HAR file', () => {
  test('gives samples without credentials', async () => {
    const response = {
      status: 200,
      headers: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'Set-Cookie', value: 'sid=1' },
      ],
      content: { size: 2, text: Buffer.from('{}').toString('base64'), encoding: 'base64' },
    }
    const headers = [
      { name: 'Authorization', value: 'Bearer sk-0123456789' },
      { name: ':path', value: '/' },
    ]
    const samples = await read({ log: { entries: [entry(response, headers)] } }, 'har')
    expect(samples).toEqual([
      {
        method: 'GET',
        origin: 'https://api.example.com',
        target: '/v1/models?api_key=[redacted]&period=7d',
        requestHeaders: { authorization: 'Bearer [redacted]' },
        requestBody: undefined,
        answer: {
          status: 200,
          headers: { 'content-type': 'application/json', 'set-cookie': '[redacted]' },
          body: Buffer.from('{}'),
          ms: 12.5,
        },
      },
    ])
  })

  test('has no token of a request in the answers that echo it, to whatever request', async () => {
    const sent = [{ name: 'Authorization', value: 'Bearer opaque-987654' }]
    const echo = { size: 1, text: '{"you":"opaque-987654","opaque-987654":"\u00fc"}' }
    const encoded = { ...echo, text: Buffer.from(echo.text).toString('base64'), encoding: 'base64' }
    const entries = [entry({ status: 200, content: echo }, sent), entry({ status: 200, content: encoded })]
    const samples = samplesOf(await read({ log: { entries } }, 'har'))
    const clean = Buffer.from('{"you":"[redacted]","[redacted]":"\u00fc"}')
    expect(samples).toMatchObject([{ answer: { body: clean } }, { answer: { body: clean } }])
  })

  test('tells an answer without content from one that never came', async () => {
    const samples = await read(
      { log: { entries: [entry({ status: 200, content: { size: 12 } }), entry({ status: 0 })] } },
      'har',
    )
    expect(samples).toMatchObject([
      { answer: { status: 200, body: undefined } },
      { answer: { problem: 'connection' } },
    ])
  })

  test.each([
    [{ size: 4000, text: '' }, undefined],
    [{ size: 4000, text: '{"cut' }, undefined],
    [{ size: 9, text: '{"a":1}' }, '{"a":1}'], // its byte order mark is left out
    [{ size: 5, text: '{"cut' }, '{"cut'],
  ])('with the content %j has the body %j', async (content, body) => {
    const [sample] = samplesOf(await read({ log: { entries: [entry({ status: 200, content })] } }, 'har'))
    expect(sample?.answer).toMatchObject({ status: 200 })
    expect(sample?.answer).toHaveProperty('body', body === undefined ? undefined : Buffer.from(body))
  })

  test('without the header of the media type has that of its content', async () => {
    const har = (mimeType: string) => ({
      log: { entries: [entry({ status: 200, content: { size: 2, mimeType, text: '{}' } })] },
    })
    expect(await read(har('application/json'), 'har')).toMatchObject([
      { answer: { headers: { 'content-type': 'application/json' } } },
    ])
    expect(await read(har('x-unknown'), 'har')).toMatchObject([{ answer: { headers: {} } }])
  })

  test.each([
    [{ _origin: 'scenario' }, 'scenario'],
    [{ _origin: 'contract' }, 'not-the-service'],
    [{ _origin: 'upstream', _damage: ['truncated'] }, 'scenario'],
    [{ _origin: 'upstream', _delivery: { outcome: 'client-gone', sentBytes: 5 } }, 'connection'],
  ])('of convsim with %j has no answer of the service: %s', async (own, problem) => {
    const one = { ...(entry({ status: 200, content: { size: 2, text: '{}' } }) as JsonObject), ...own }
    expect(await read({ log: { entries: [one] } }, 'har')).toMatchObject([{ answer: { problem } }])
  })

  test('of convsim has the bodies that it redacted, and not those of which it recorded a part', async () => {
    const whole = { size: 99, text: '{"token":"[redacted]"}' }
    const part = { size: 99, text: '{"a":1}', comment: '7 of 99 bytes were recorded.' }
    const entries = [whole, part].map((content) => ({
      ...(entry({ status: 200, content }) as JsonObject),
      _origin: 'upstream',
    }))
    expect(await read({ log: { entries } }, 'har')).toMatchObject([
      { answer: { body: Buffer.from(whole.text) } },
      { answer: { body: undefined } },
    ])
  })

  test.each([
    ['{"log":{}}', 'is no HAR file'],
    ['<html>', 'is no JSON'],
  ])('%s is refused', async (text, reason) => {
    expect(await read(text, 'har')).toContain(reason)
  })
})

describe('a journal', () => {
  const recorded = (origin: string, body: Json, damage: Json = []): Json => ({
    request: {
      method: 'GET',
      path: '/v1/models',
      query: 'period=7d',
      headers: { Accept: '*/*' },
      body: { size: 0 },
    },
    answer: { status: 200, headers: { 'Content-Type': 'application/json' }, body, origin },
    damage,
  })

  test('is read from an export, and from lines', async () => {
    const one = recorded('upstream', { size: 7, json: { a: 1 } })
    const expected = [
      {
        method: 'GET',
        target: '/v1/models?period=7d',
        requestHeaders: { accept: '*/*' },
        requestBody: new Uint8Array(),
        answer: {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from('{"a":1}'),
        },
      },
    ]
    expect(await read({ requests: [one], truncated: false }, 'journal')).toEqual(expected)
    expect(await read(`${JSON.stringify(one)}\n${JSON.stringify(one)}\n`, 'journal')).toEqual([
      ...expected,
      ...expected,
    ])
  })

  test('gives no bodies that are cut', async () => {
    const samples = await read(
      {
        requests: [recorded('upstream', { size: 9, text: '{"a"', cut: true })],
      },
      'journal',
    )
    expect(samples).toMatchObject([{ answer: { status: 200, body: undefined } }])
  })

  test.each([
    [{ answer: { status: 200, origin: 'scenario' } }, 'scenario', 'A scenario of convsim'],
    [{ answer: { status: 200, origin: 'upstream' }, damage: ['reset'] }, 'scenario', 'or damaged it'],
    [{ answer: { status: 200, origin: 'contract' } }, 'not-the-service', 'convsim itself gave this answer'],
    [{ answer: { status: 200 } }, 'not-the-service', 'does not say that the real service'],
    [{ answer: { status: 413, origin: 'simulator' } }, 'not-the-service', 'convsim itself refused'],
    [refusedBy(504, 'It took too long.'), 'time-out', 'It took too long.'],
    [refusedBy(502, 'Its certificate has expired.'), 'certificate', 'Its certificate has expired.'],
    [refusedBy(502, 'It refuses the connection.'), 'connection', 'It refuses the connection.'],
    [{ answer: { status: 502, origin: 'simulator' } }, 'connection', 'The proxy got no answer'],
    [{ answer: { origin: 'upstream' } }, 'connection', 'it has no status of HTTP'],
    [{ answer: { status: 'abc', origin: 'upstream' } }, 'connection', 'it has no status of HTTP'],
    [ended('client-gone'), 'connection', 'The client left'],
    [ended('upstream-gone'), 'connection', 'The service broke its answer off.'],
    [ended('server-stopped'), 'connection', 'The proxy stopped'],
    [ended('damaged'), 'connection', 'did not reach its end'],
  ])('%j gives no answer, but the reason %s', async (entry, problem, sentence) => {
    const [sample] = samplesOf(
      await read({ requests: [{ request: { method: 'GET', path: '/' }, ...entry }] }, 'journal'),
    )
    expect(sample?.answer).toMatchObject({ problem, sentence: expect.stringContaining(sentence) })
  })

  test('of the simulator itself is read where its own answers are accepted', async () => {
    const file = join(await tempFolder(), 'traffic.json')
    await writeFile(file, JSON.stringify(recorded('contract', { size: 2, json: {} })))
    const samples = await readTrafficFile(file, 'journal', ['upstream', 'contract'])
    expect(samples).toMatchObject({ value: [{ answer: { status: 200 } }] })
  })

  test('of another form is refused', async () => {
    expect(await read({ log: {} }, 'journal')).toContain('is no journal')
  })
})
