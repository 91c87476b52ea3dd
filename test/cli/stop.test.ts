import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, event, readStateInfo, textOf } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { postText } from '../support/pipelined.ts'
import { connectTo } from '../support/raw-http.ts'
import { eventsIn, parseStateFile } from '../support/state-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

const stateFile = async () => join(await tempFolder(), 'state.json')

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s exits with 0', async (signal) => {
    const command = convsim(['--port', '0', '--state', await stateFile()])
    await command.ready()
    command.process.kill(signal)
    expect(await command.ended).toBe(0)
    expect(command.stderr()).toMatch(/"stopped"/)
  })

  test('lets a request in flight finish, stores what it wrote, and exits with 0', async () => {
    const state = await stateFile()
    const command = convsim(['--port', '0', '--state', state])
    const connection = await connectTo(await command.ready())
    const text = postText('/v1/events', event({ insertId: 'in-flight' }))
    connection.send(text.slice(0, -20))
    // A reply on another connection proves that the server has read the bytes sent before.
    await readStateInfo({ origin: await command.ready() })
    command.process.kill('SIGTERM')
    await command.untilStderr(/"stopping/)
    connection.send(text.slice(-20))
    const answer = await connection.answer()
    expect(answer.status).toBe(201)
    expect(await command.ended).toBe(0)
    const kept = eventsIn(parseStateFile(await readFile(state, 'utf8')))
    expect(kept).toMatchObject([{ eventId: textOf(answer, 'eventId'), fields: { insertId: 'in-flight' } }])
  })

  test('sends connection: close to a client in flight, so that it does not reuse the connection', async () => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const connection = await connectTo(await command.ready())
    const text = postText('/v1/events', event())
    connection.send(text.slice(0, -20))
    await readStateInfo({ origin: await command.ready() })
    command.process.kill('SIGTERM')
    await command.untilStderr(/"stopping/)
    connection.send(text.slice(-20))
    expect((await connection.answer()).headers['connection']).toBe('close')
    await connection.closed()
    expect(await command.ended).toBe(0)
  })

  test.each([
    ['a hang', ['hang']],
    ['a hang after a delay', ['slow;ms=600000, hang']],
    ['a hang behind another one', ['hang', 'hang']],
    ['a delay that outlasts the stop', ['slow;ms=600000']],
    ['a body in pieces that outlasts the stop', ['dribble;ms=600000']],
  ])('ends the connection of %s, and waits for a request in flight', async (_name, scenarios) => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const origin = await command.ready()
    const hanging = await connectTo(origin)
    const head = `GET ${analyticsPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer any-key\r\n`
    for (const scenario of scenarios) hanging.send(`${head}X-Sim-Scenario: ${scenario}\r\n\r\n`)
    const busy = await connectTo(origin)
    const text = postText('/v1/events', event())
    busy.send(text.slice(0, -20))
    await readStateInfo({ origin })
    command.process.kill('SIGTERM')
    // The request in flight is unfinished until here, so that the end of the hang is not the end of the whole server.
    await hanging.closed()
    busy.send(text.slice(-20))
    expect((await busy.answer()).status).toBe(201)
    expect(await command.ended).toBe(0)
    expect(command.stderr()).toMatch(/"delivery":\{"kind":"(damaged|server-stopped)"/)
    expect(command.stderr()).not.toContain('client-gone')
  })

  test('does not wait for idle connections', async () => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const origin = await command.ready()
    const idle = await connectTo(origin)
    const used = await connectTo(origin)
    used.send(postText('/v1/events', event()))
    await used.answer()
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(0)
    idle.destroy()
    used.destroy()
  })

  test('accepts no new connections', async () => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const origin = await command.ready()
    const busy = await connectTo(origin)
    busy.send(postText('/v1/events', event()).slice(0, -20))
    await readStateInfo({ origin })
    command.process.kill('SIGTERM')
    await command.untilStderr(/"stopping/)
    await expect(ask({ origin }, '/__sim/health')).rejects.toThrow()
    busy.destroy()
    expect(await command.ended).toBe(0)
  })
})

describe('kill -9 while events are posted', () => {
  test('loses no acknowledged event, and the next start logs what it loaded', async () => {
    const state = await stateFile()
    const first = convsim(['--port', '0', '--state', state, '--log-level', 'warn'])
    const origin = await first.ready()
    const acknowledged: string[] = []
    let resolveEnough = () => {}
    const enough = new Promise<void>((resolve) => {
      resolveEnough = resolve
    })
    const post = async (lane: number) => {
      const connection = await connectTo(origin)
      for (let index = 0; ; index += 1) {
        connection.send(postText('/v1/events', event({ insertId: `${lane}-${index}` })))
        acknowledged.push(textOf(await connection.answer(), 'eventId'))
        if (acknowledged.length === 400) resolveEnough()
      }
    }
    const lanes = Array.from({ length: 8 }, (_, lane) => post(lane).catch(() => {})) // each ends with the process
    await enough
    first.process.kill('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')
    await Promise.all(lanes)
    expect(acknowledged.length).toBeGreaterThanOrEqual(400)

    const second = convsim(['--port', '0', '--state', state])
    await second.ready()
    await second.untilStderr(/"loaded"/)
    const logged = /"state":(\{[^}]*\})/.exec(second.stderr())?.[1] ?? '{}'
    const loaded: { events: number } = JSON.parse(logged.replace(/,"tookOverFrom.*$/, '}'))
    expect(loaded.events).toBeGreaterThanOrEqual(acknowledged.length)
    second.process.kill('SIGTERM')
    expect(await second.ended).toBe(0)
    const kept = new Set(eventsIn(parseStateFile(await readFile(state, 'utf8'))).map(({ eventId }) => eventId))
    expect(kept.size).toBe(loaded.events)
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  })
})
