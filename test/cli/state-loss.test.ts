import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, errorOf, event } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

const losses: [string, RegExp, (state: string) => Promise<void>][] = [
  ['lock file', /its lock file \S+state\.json\.lock was removed/, (state) => rm(`${state}.lock`)],
  ['log', /its log \S+state\.json\.journal was removed/, (state) => rm(`${state}.journal`)],
  ['folder', /its folder \S+inner was removed/, (state) => rm(dirname(state), { recursive: true })],
]

async function startWithEvent() {
  const state = join(await tempFolder(), 'inner', 'state.json')
  const command = convsim(['--port', '0', '--state', state])
  const target = { origin: await command.ready() }
  expect((await ask(target, '/v1/events', { body: event() })).status).toBe(201)
  return { state, command, target }
}

test.each(losses)(
  'after the loss of its %s, health is 503 with the reason, and the stop says it and exits with 1',
  async (_, reason, remove) => {
    const { state, command, target } = await startWithEvent()
    expect((await ask(target, '/healthz', { token: null })).status).toBe(200)
    await remove(state)
    for (const path of ['/healthz', '/readyz', '/__sim/health']) {
      const answer = await ask(target, path, { token: null })
      expect(answer.status).toBe(503)
      expect(answer.body).toMatchObject({ status: 'unhealthy', reason: expect.stringMatching(reason) })
    }
    const refused = await ask(target, '/v1/events', { body: event(), may500: true })
    expect(errorOf(refused)).toMatch(reason)
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(1)
    expect(command.stderr()).toMatch(new RegExp(`not written at the stop: ${reason.source}`))
  },
)

test.each(losses)('a stop right after the loss of its %s says it, too', async (_, reason, remove) => {
  const { state, command } = await startWithEvent()
  await remove(state)
  command.process.kill('SIGTERM')
  expect(await command.ended).toBe(1)
  expect(command.stderr()).toMatch(new RegExp(`not written at the stop: ${reason.source}`))
  expect(command.stderr()).not.toContain('No change is lost')
})
