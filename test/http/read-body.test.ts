import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { RequestBody } from '../../src/exchange/request.ts'
import { decoders, parseBodyLimit, readBody } from '../../src/http/read-body.ts'
import { connectTo } from '../support/raw-http.ts'

test('the decoder of an aborted body is destroyed', async () => {
  const create = decoders.get('gzip')
  if (!create) throw new Error('gzip is not taken')
  const made: ReturnType<typeof create>[] = []
  decoders.set('gzip', () => {
    const decoder = create()
    made.push(decoder)
    return decoder
  })
  onTestFinished(() => void decoders.set('gzip', create))
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server always has one
  const read = new Promise<RequestBody>((resolve) => {
    server.on('request', (req, res) => {
      readBody(req, res, parseBodyLimit('1mb'), resolve)
      connection.destroy()
    })
  })
  const connection = await connectTo(`http://127.0.0.1:${port}`)
  connection.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\nContent-Encoding: gzip\r\n\r\n')
  expect(await read).toEqual({ kind: 'aborted' })
  expect(made.map((decoder) => decoder?.destroyed)).toEqual([true])
})

test('a decoder stops soon after 100 times the bytes that it has read', async () => {
  const create = decoders.get('gzip')
  if (!create) throw new Error('gzip is not taken')
  let decoded = 0
  decoders.set('gzip', () => create()?.on('data', (chunk: Buffer) => (decoded += chunk.length)))
  onTestFinished(() => void decoders.set('gzip', create))
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server always has one
  const read = new Promise<RequestBody>((resolve) => {
    server.on('request', (req, res) => readBody(req, res, parseBodyLimit('256mb'), resolve))
  })
  const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20))
  const answered = fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body: bomb,
    headers: { 'content-encoding': 'gzip' },
  }).catch(() => undefined)
  expect(await read).toMatchObject({ kind: 'unreadable', status: 413 })
  expect(decoded).toBeLessThan(20 * 2 ** 20)
  server.closeAllConnections()
  await answered
})
