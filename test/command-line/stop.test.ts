import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyticsPath, call, errorOf, event, objectOf, readStateInfo, textOf } from '../support/client.ts'
import { convsim, inMemory } from '../support/command.ts'
import { postText } from '../support/pipelined.ts'
import { connectTo } from '../support/raw-http.ts'
import { eventsIn, parseStateFile } from '../support/state-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Starts a server and sends most of a request. `finish` sends the rest and returns the response. */
async function startBusy(state = ':memory:') {
  const command = convsim(['--port', '0', '--state', state])
  const origin = await command.ready()
  const connection = await connectTo(origin)
  const text = postText('/v1/events', event({ insertId: 'in-flight' }))
  connection.send(text.slice(0, -20))
  // A response on another connection proves that the server has read the bytes sent so far.
  await readStateInfo({ origin })
  const finish = () => {
    connection.send(text.slice(-20))
    return connection.response()
  }
  return { command, origin, connection, finish }
}

describe('a shutdown', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('caused by %s ends with exit code 0', async (signal) => {
    const command = convsim(inMemory)
    await command.ready()
    expect(await command.stop(signal)).toBe(0)
    expect(command.stderr()).toMatch(/"stopped"/)
  })

  test('lets a request in flight finish, stores its event, and accepts no new connections', async () => {
    const state = join(await tempFolder(), 'state.json')
    const { command, origin, connection, finish } = await startBusy(state)
    command.process.kill('SIGTERM')
    await command.untilStderr(/"stopping/)
    await expect(call({ origin }, '/__sim/health')).rejects.toThrow()
    const response = await finish()
    // `Connection: close` tells the client not to reuse the connection.
    expect([response.status, response.headers['connection']]).toEqual([201, 'close'])
    await connection.closed()
    expect(await command.ended).toBe(0)
    const stored = eventsIn(parseStateFile(await readFile(state, 'utf8')))
    expect(stored).toMatchObject([{ eventId: textOf(response, 'eventId'), fields: { insertId: 'in-flight' } }])
  })

  test.each([
    ['a hang', ['hang']],
    ['a hang after a delay', ['slow;ms=600000, hang']],
    ['two pipelined hangs', ['hang', 'hang']],
    ['a ten-minute delay', ['slow;ms=600000']],
    ['a response body sent over ten minutes', ['dribble;ms=600000']],
  ])('ends %s by closing the connection, and waits for another request to finish', async (_name, scenarios) => {
    const { command, origin, finish } = await startBusy()
    const hanging = await connectTo(origin)
    const head = `GET ${analyticsPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer any-key\r\n`
    for (const scenario of scenarios) hanging.send(`${head}X-Sim-Scenario: ${scenario}\r\n\r\n`)
    await readStateInfo({ origin })
    command.process.kill('SIGTERM')
    // The other request keeps the process running, so the exit cannot be what closes this connection.
    await hanging.closed()
    expect((await finish()).status).toBe(201)
    expect(await command.ended).toBe(0)
    expect(command.stderr()).toMatch(/"delivery":\{"kind":"(damaged|server-stopped)"/)
    expect(command.stderr()).not.toContain('client-gone')
  })

  test('does not wait for idle connections', async () => {
    const command = convsim(inMemory)
    const origin = await command.ready()
    const [idle, used] = [await connectTo(origin), await connectTo(origin)]
    used.send(postText('/v1/events', event()))
    await used.response()
    expect(await command.stop()).toBe(0)
    for (const connection of [idle, used]) connection.destroy()
  })
})

describe.each<[string, RegExp, (state: string) => Promise<void>]>([
  ['lock file', /its lock file \S+state\.json\.lock was removed/, (state) => rm(`${state}.lock`)],
  ['write-ahead log', /its log \S+state\.json\.journal was removed/, (state) => rm(`${state}.journal`)],
  ['folder', /its lock file \S+ was removed/, (state) => rm(dirname(state), { recursive: true })],
])('after the %s for the state has been removed,', (name, reason, remove) => {
  async function startAndRemove() {
    const state = join(await tempFolder(), 'inner', 'state.json')
    const command = convsim(['--port', '0', '--state', state])
    const target = { origin: await command.ready() }
    expect((await call(target, '/v1/events', { body: event() })).status).toBe(201)
    expect((await call(target, '/healthz', { token: null })).status).toBe(200)
    await remove(state)
    return { state, command, target }
  }

  test('health checks return 503 with the reason, writes are refused, and exports still work', async () => {
    const { target } = await startAndRemove()
    for (const path of ['/healthz', '/readyz', '/__sim/health']) {
      const { status, body } = await call(target, path, { token: null })
      expect([status, body]).toMatchObject([503, { status: 'unhealthy', reason: expect.stringMatching(reason) }])
    }
    const refused = await call(target, '/v1/events', { body: event(), may500: true })
    expect([refused.status, errorOf(refused)]).toEqual([500, expect.stringMatching(reason)])
    expect(objectOf(await call(target, '/__sim/export', { token: null }))['events']).toHaveLength(1)
  })

  test('a shutdown reports the removal, ends with exit code 1, and does not recreate a removed folder', async () => {
    const { state, command } = await startAndRemove()
    expect(await command.stop()).toBe(1)
    expect(command.stderr()).toMatch(new RegExp(`not written on shutdown: ${reason.source}`))
    expect(command.stderr()).not.toContain('No change is lost')
    expect(existsSync(dirname(state))).toBe(name !== 'folder')
  })
})
