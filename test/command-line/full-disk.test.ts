import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import { call, errorOf, event, objectOf, prompt, textOf } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { readEventPage, readPrompts } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const canLimit = spawnSync('prlimit', ['--version']).status === 0

const large = { properties: { text: 'x'.repeat(20_000) } }

/** Simulates a full disk with a limit on file sizes, which does not require root privileges. */
test.skipIf(!canLimit)('if the disk is full, a write gets a 500 with the reason and changes nothing', async () => {
  const state = join(await tempFolder(), 'state.json')
  const start = () => convsim(['--port', '0', '--state', state])
  const first = start()
  const origin = await first.ready()
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(first.process.pid), `--fsize=${bytes}:`])
  const post = (path: string, body: Json) => call({ origin }, path, { body, may500: true })
  const acknowledged: string[] = []
  for (let index = 0; index < 20; index += 1)
    acknowledged.push(textOf(await post('/v1/events', event({ insertId: `before-${index}` })), 'eventId'))
  const exported = objectOf(await call({ origin }, '/__sim/export', { token: null }))

  limit(50) // leaves room for part of an entry if the log file is new
  const refused = await Promise.all([
    ...[1, 2, 3].map((n) => post('/v1/events', event({ insertId: `refused-${n}`, ...large }))),
    post('/v1/prompts', prompt({ ...large })),
    post('/__sim/import', { ...exported, quality: { weight: 1 } }),
  ])
  for (const response of refused) {
    expect([response.status, errorOf(response)]).toEqual([500, expect.stringMatching(/EFBIG/)])
    expect(errorOf(response)).toContain('nothing was changed')
  }
  await first.untilStderr(/the state cannot be written/)
  expect(first.stderr()).toContain('EFBIG')
  expect(first.stderr()).not.toContain('a bug in')
  const ids = async (target = origin) => (await readEventPage({ origin: target })).events.map(({ eventId }) => eventId)
  expect(await ids()).toEqual(acknowledged)
  expect(await readPrompts({ origin })).toEqual([])
  expect((await call({ origin }, '/__sim/health', { token: null })).status).toBe(200)

  limit('unlimited')
  acknowledged.push(textOf(await post('/v1/events', event({ insertId: 'refused-1' })), 'eventId'))
  expect(await ids()).toEqual(acknowledged)
  await first.stop('SIGKILL')
  const second = start()
  expect(await ids(await second.ready())).toEqual(acknowledged)
  expect(await second.stop()).toBe(0)
})
