import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decoders } from '../../src/server/http/read-request.ts'
import { ask, event, expectRefusal, readStateInfo } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

const encode: Readonly<Record<string, (text: string) => Uint8Array>> = {
  identity: (text) => Buffer.from(text),
  gzip: (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  br: (text) => brotliCompressSync(text),
}

const send = (encoding: string, body: Uint8Array) =>
  ask(sim(), '/v1/events', { body, headers: { 'content-encoding': encoding } })

const rows = Object.entries(encode).map(([encoding, bytesOf]) => ({ encoding, bytesOf }))
const packing = rows.filter(({ encoding }) => encoding !== 'identity')

test('every encoding that is taken has its row here', () => {
  expect([...decoders.keys()]).toEqual(Object.keys(encode))
})

describe.each(rows)('a body in $encoding', ({ encoding, bytesOf }) => {
  test.each([encoding, encoding.toUpperCase()])('is read where it is called %s', async (name) => {
    const response = await send(name, bytesOf(JSON.stringify(event())))
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 201 })
  })

  test('that is larger than the limit, however small it was packed, or ends too early is refused', async () => {
    const before = await readStateInfo(sim())
    const tooLarge = bytesOf(JSON.stringify(event({ value: 'x'.repeat(3_000_000) })))
    expectRefusal(await send(encoding, tooLarge), 413, /limit of 1mb/)
    expectRefusal(await send(encoding, bytesOf(JSON.stringify(event())).subarray(0, -12)), 400, /body/)
    expect(await readStateInfo(sim())).toEqual(before)
  })
})

test.each(packing)('what says that it is in $encoding and is not is refused', async ({ encoding }) => {
  expectRefusal(await send(encoding, Buffer.from(JSON.stringify(event()))), 400, /body cannot be read/)
})

test('a Content-Encoding that is empty names none', async () => {
  expect((await send('', Buffer.from(JSON.stringify(event())))).status).toBe(201)
})

test.each([10, 5000])('a response has all its bytes, with %i characters beyond ASCII', async (count) => {
  const text = Array.from({ length: count }, (_, index) => 'é日😀'.at(index % 2)).join('')
  const { headers, status } = await ask(sim(), '/v1/events', { body: event({ properties: { text } }) })
  expect(status).toBe(201)
  const shown = await ask(sim(), `/__sim/requests/${headers.get('x-request-id')}`)
  expect(shown.body).toMatchObject({ request: { body: { json: { properties: { text } } } } })
  expect(Number(shown.headers.get('content-length'))).toBe(Buffer.byteLength(shown.text))
})
