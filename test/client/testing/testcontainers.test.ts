import { expect, onTestFinished, test, vi } from 'vitest'
import { ConvsimContainer } from '../../../src/client/testing/testcontainers.ts'
import { ask, event } from '../../support/client.ts'

vi.mock('testcontainers', () => import('./container-stand-in.ts'))

/** Starts a container that stops at the end of the test. */
async function start(container = new ConvsimContainer('convsim')) {
  const started = await container.start()
  onTestFinished(async () => {
    await started.stop()
  })
  return started
}

const sendEvent = (baseUrl: string) => ask({ origin: baseUrl }, '/events', { body: event() })

test('a sandbox has its own base URL and requests, and a different port after a restart', async () => {
  const container = await start()
  const sim = container.sandbox('checkout')
  expect(container.getBaseUrl('checkout')).toBe(sim.baseUrl)
  await sendEvent(sim.baseUrl)
  await sim.expectReceived('createEvent', { times: 1 })
  const other = container.sandbox()
  await other.reset() // creates the sandbox
  await other.expectReceived('createEvent', { times: 0 })
  await container.restart()
  const later = container.sandbox('checkout')
  expect(later.baseUrl).not.toBe(sim.baseUrl)
  await sendEvent(later.baseUrl)
  await later.expectReceived('createEvent', { times: 1 })
})

test.each([
  ['withControlToken', new ConvsimContainer('convsim').withControlToken('secret')],
  ['withEnvironment', new ConvsimContainer('convsim').withEnvironment({ CONVSIM_CONTROL_TOKEN: 'secret' })],
])('the control plane requires the token from %s, which the started container sends', async (_name, container) => {
  const { simulator } = await start(container)
  const { origin } = simulator
  expect((await ask({ origin }, '/__sim/info', { token: null })).status).toBe(401)
  expect(await simulator.sandbox('a').requests()).toEqual([])
})
