import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { readTrafficFile, type TrafficForm } from '../../src/traffic/read-traffic-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function read(content: Json | string, form: TrafficForm) {
  const file = join(await tempFolder(), 'traffic.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  const samples = await readTrafficFile(file, form)
  return samples.ok ? samples.value : samples.error
}

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
    const one = recorded('contract', { size: 7, json: { a: 1 } })
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

  test('gives no answers that a scenario made, and no bodies that are cut', async () => {
    const samples = await read(
      {
        requests: [
          recorded('scenario', { size: 0 }),
          recorded('contract', { size: 9, text: '{"a"', cut: true }),
          recorded('contract', { size: 2, json: {} }, ['reset']),
        ],
      },
      'journal',
    )
    expect(samples).toMatchObject([{ answer: { status: 200, body: undefined } }])
  })

  test('of another form is refused', async () => {
    expect(await read({ log: {} }, 'journal')).toContain('is no journal')
  })
})
