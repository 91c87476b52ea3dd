import { expect, test } from 'vitest'
import { MAX_NOW } from '../../src/core/instant.ts'
import { MemorySandboxSettings } from '../../src/sandboxes/settings.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function setup(frozenAt?: number) {
  const machine = { now: noon }
  return { machine, settings: new MemorySandboxSettings({ seed: '1', frozenAt, now: () => machine.now }) }
}

test('a sandbox that was never changed has the settings of the start', async () => {
  const { settings, machine } = setup()
  machine.now += 5
  expect(await settings.read('a')).toEqual({ seed: '1', rules: [], clock: { mode: 'real', now: noon + 5 } })
})

test('a change of one sandbox does not show in another, and a reset takes it back', async () => {
  const { settings } = setup(noon)
  await settings.setSeed('a', '42')
  const rules = await settings.setRules('a', [])
  await settings.setClock('a', 'frozen', noon + 1000)
  expect(await settings.read('a')).toEqual({ seed: '42', rules, clock: { mode: 'frozen', now: noon + 1000 } })
  const start = { seed: '1', rules: [], clock: { mode: 'frozen', now: noon } }
  expect(await settings.read('b')).toEqual(start)
  await settings.reset('a')
  expect(await settings.read('a')).toEqual(start)
})

test('an advanced clock goes on from there, and never beyond the year 9999', async () => {
  const { settings, machine } = setup()
  expect(await settings.advanceClock('a', 60_000)).toEqual({ mode: 'shifted', now: noon + 60_000 })
  machine.now += 5
  expect((await settings.read('a')).clock).toEqual({ mode: 'shifted', now: noon + 60_005 })
  expect(await settings.advanceClock('a', MAX_NOW)).toBeUndefined()
  expect((await settings.read('a')).clock).toEqual({ mode: 'shifted', now: noon + 60_005 })
})
