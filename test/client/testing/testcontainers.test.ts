import { expect, onTestFinished, test, vi } from 'vitest'
import { ConvsimContainer } from '../../../src/client/testing/testcontainers.ts'
import { call, event } from '../../support/client.ts'

vi.mock('testcontainers', () => import('./container-stand-in.ts'))

/** Starts a container, which is stopped at the end of the test. */
async function start(container = new ConvsimContainer('convsim')) {
  const started = await container.start()
  onTestFinished(async () => {
    await started.stop()
  })
  return started
}

const sendEvent = (baseUrl: string) => call({ origin: baseUrl }, '/events', { body: event() })

test('sandboxes record requests separately, and base URLs use the container’s new port after a restart', async () => {
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
])('the control plane requires the token set by %s, and the container’s client sends it', async (_name, container) => {
  const { simulator } = await start(container)
  const { origin } = simulator
  expect((await call({ origin }, '/__sim/info', { token: null })).status).toBe(401)
  expect(await simulator.sandbox('a').requests()).toEqual([])
})
