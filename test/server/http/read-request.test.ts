import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Transform } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { decoders, parseBodyLimit, readHead, readRequest } from '../../../src/server/http/read-request.ts'
import type { RequestBody, SimRequest } from '../../../src/service/exchange/request.ts'
import { connectTo } from '../../support/raw-http.ts'

/** Starts a server that reads the body of one request and calls `onDecoder` with each gzip decoder that it creates. */
async function startReader(limit: string, onDecoder: (decoder: Transform) => void) {
  const create = decoders.get('gzip')
  if (!create) throw new Error('gzip is not supported')
  decoders.set('gzip', () => {
    const decoder = create()
    if (decoder) onDecoder(decoder)
    return decoder
  })
  onTestFinished(() => void decoders.set('gzip', create))
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // the address of a listening TCP server always has this type
  const receivedBody = new Promise<RequestBody>((resolve) => {
    const resolveBody = ({ body }: SimRequest) => resolve(body)
    server.on('request', (req, res) =>
      readRequest(req, res, parseBodyLimit(limit), readHead(req, '/', 'req-1', true), resolveBody),
    )
  })
  return { server, origin: `http://127.0.0.1:${port}`, receivedBody }
}

test('the decoder for an aborted body is destroyed', async () => {
  const createdDecoders: Transform[] = []
  const { server, origin, receivedBody } = await startReader('1mb', (decoder) => createdDecoders.push(decoder))
  const connection = await connectTo(origin)
  server.on('request', () => connection.destroy())
  connection.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\nContent-Encoding: gzip\r\n\r\n')
  expect(await receivedBody).toEqual({ kind: 'aborted' })
  expect(createdDecoders.map(({ destroyed }) => destroyed)).toEqual([true])
})

test('a decoder stops soon after its output becomes more than 100 times as large as its input', async () => {
  let decoded = 0
  const { server, origin, receivedBody } = await startReader('256mb', (decoder) => {
    decoder.on('data', (chunk: Buffer) => (decoded += chunk.length))
  })
  const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20))
  const request = fetch(origin, { method: 'POST', body: bomb, headers: { 'content-encoding': 'gzip' } })
  const settled = request.catch(() => undefined)
  expect(await receivedBody).toMatchObject({ kind: 'unreadable', status: 413 })
  expect(decoded).toBeLessThan(20 * 2 ** 20)
  server.closeAllConnections()
  await settled
})
