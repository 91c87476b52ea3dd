import express from 'express'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { listen, stop } from '../../src/http/server.ts'
import { connectTo, type RawConnection } from '../support/raw-http.ts'

/** Longer than any test may take: who waits for it fails. */
const anHour = 3_600_000

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A server that answers a request when it is told to. */
async function setup() {
  const open: (() => void)[] = []
  const arrived: (() => void)[] = []
  const app = express()
  app.get('/', async (_req, res) => {
    for (const wake of arrived.splice(0)) wake()
    await new Promise<void>((resolve) => open.push(resolve))
    res.json({})
  })
  const listening = await listen(app, '127.0.0.1', 0, silentLog)
  if (!listening.ok) throw new Error(listening.problem)
  onTestFinished(() => listening.server.closeAllConnections())
  const origin = `http://127.0.0.1:${listening.port}`
  const ask = async (connection: RawConnection) => {
    const here = new Promise<void>((resolve) => arrived.push(resolve))
    connection.send(get)
    await here
  }
  const answer = () => {
    for (const resolve of open.splice(0)) resolve()
  }
  return { listening, origin, ask, answer }
}

describe('a stop', () => {
  test('waits for nobody where nothing is asked', async () => {
    const { listening } = await setup()
    await expect(stop(listening, anHour)).resolves.toBeUndefined()
  })

  test('closes a connection on which nothing was ever asked', async () => {
    const { listening, origin } = await setup()
    const connection = await connectTo(origin)
    await Promise.all([stop(listening, anHour), connection.closed()])
  })

  test('closes a connection that is kept open for a next request', async () => {
    const { listening, origin, ask, answer } = await setup()
    const connection = await connectTo(origin)
    await ask(connection)
    answer()
    expect((await connection.answer()).headers['connection']).toBe('keep-alive')
    await Promise.all([stop(listening, anHour), connection.closed()])
  })

  test('lets a request in flight finish, and then closes its connection', async () => {
    const { listening, origin, ask, answer } = await setup()
    const connection = await connectTo(origin)
    await ask(connection)
    const stopping = stop(listening, anHour)
    answer()
    expect(await connection.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    await Promise.all([stopping, connection.closed()])
  })

  test('cuts what has not finished when the grace is over', async () => {
    const { listening, origin, ask } = await setup()
    const connection = await connectTo(origin)
    await ask(connection)
    await stop(listening, 1)
    await expect(connection.answer()).rejects.toThrow(/ended/)
  })
})

test('broken bytes behind a request do not take the place of its answer', async () => {
  const { origin, ask, answer } = await setup()
  const connection = await connectTo(origin)
  await ask(connection)
  connection.send('no HTTP at all\r\n\r\n')
  // The server has met the bytes once it has answered another connection's request.
  const other = await connectTo(origin)
  await ask(other)
  answer()
  expect((await connection.answer()).status).toBe(200)
  await connection.closed()
})

test('a port that is taken is an outcome, not an exception', async () => {
  const { listening } = await setup()
  expect(await listen(express(), '127.0.0.1', listening.port, silentLog)).toEqual({
    ok: false,
    problem: expect.stringMatching(/is taken.*--port/),
  })
})
