import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express from 'express'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../../src/base/core/log.ts'
import { listen, stop } from '../../../src/server/http/server.ts'
import { connectTo, type RawConnection } from '../../support/raw-http.ts'

/** An hour in milliseconds. A test that waits this long exceeds its time limit and fails. */
const hourMs = 3_600_000

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Starts a server that responds to the pending requests when `respond` is called. */
async function setup() {
  const pending: (() => void)[] = []
  const arrived: (() => void)[] = []
  const app = express()
  app.get('/', async (_req, res) => {
    for (const resolve of arrived.splice(0)) resolve()
    await new Promise<void>((resolve) => pending.push(resolve))
    res.json({})
  })
  const result = await listen({ listener: app, messages: {} }, { host: '127.0.0.1', port: 0 }, silentLog)
  if (!result.ok) throw new Error(result.error.message)
  const listening = result.value
  onTestFinished(() => listening.server.closeAllConnections())
  const origin = `http://127.0.0.1:${listening.port}`
  const sendGet = async (connection: RawConnection) => {
    const received = new Promise<void>((resolve) => arrived.push(resolve))
    connection.send(get)
    await received
  }
  const respond = () => {
    for (const resolve of pending.splice(0)) resolve()
  }
  return { listening, origin, sendGet, respond }
}

describe('stopping a server', () => {
  test('immediately closes a connection on which no request was sent', async () => {
    const { listening, origin } = await setup()
    const connection = await connectTo(origin)
    await Promise.all([stop(listening, hourMs), connection.closed()])
  })

  test('closes connections with unfinished requests after the grace period', async () => {
    const { listening, origin, sendGet } = await setup()
    const connection = await connectTo(origin)
    await sendGet(connection)
    await stop(listening, 1)
    await expect(connection.response()).rejects.toThrow(/ended/)
  })
})

test('a response announces a keep-alive timeout of 65 seconds', async () => {
  const { origin, sendGet, respond } = await setup()
  const connection = await connectTo(origin)
  await sendGet(connection)
  respond()
  expect((await connection.response()).headers).toMatchObject({ 'keep-alive': 'timeout=65' })
  connection.destroy()
})

test('if malformed bytes follow a request, the connection closes only after the response to the request', async () => {
  const { origin, sendGet, respond } = await setup()
  const connection = await connectTo(origin)
  await sendGet(connection)
  connection.send('not HTTP at all\r\n\r\n')
  // Once a later request on another connection has arrived, the server has read the malformed bytes.
  const other = await connectTo(origin)
  await sendGet(other)
  respond()
  expect((await connection.response()).status).toBe(200)
  await connection.closed()
})

test.each([
  ['malformed bytes', 'not HTTP at all\r\n\r\n', 400],
  ['an incomplete request that times out', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n', 408],
])(
  'after %s, the connection is closed completely, even if the client keeps its side open',
  async (_name, sent, status) => {
    const { listening } = await setup()
    const socket = connect({ port: listening.port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    const received = text(socket)
    socket.write(sent)
    if (status === 408) {
      await expect.poll(() => listening.connections.size).toBe(1)
      const [accepted] = listening.connections.keys()
      const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      listening.server.emit('clientError', error, accepted) // Node checks for timeouts only every 30 seconds
    }
    expect(await received).toContain(`HTTP/1.1 ${status} `)
    await expect.poll(() => listening.connections.size, { timeout: 30_000 }).toBe(0)
  },
)

test('a client that keeps sending malformed bytes still gets a response', async () => {
  const { origin } = await setup()
  const connection = await connectTo(origin)
  for (let n = 0; n < 100; n += 1) connection.send('not HTTP at all\r\n\r\n')
  expect((await connection.response()).status).toBe(400)
  await connection.closed()
})
