import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../../src/base/core/log.ts'
import { defaultSettings } from '../../../src/server/settings/settings.ts'
import { createSimulator } from '../../../src/server/simulator/simulator.ts'
import { startForTest } from '../../support/start.ts'
import { tempFile, tempFolder } from '../../support/temp-folder.ts'

test('a simulator that fails to start after opening the state file releases the file', async () => {
  const state = join(await tempFolder(), 'state.json')
  const fail = () => {
    throw new Error('the log is broken')
  }
  const settings = { ...defaultSettings(), state }
  const start = createSimulator(settings, { now: Date.now, log: { ...silentLog, info: fail } })
  await expect(start).rejects.toThrow('the log is broken')
  await startForTest({ state })
})

test.each([
  [5, Array(5).fill('cannot be told apart from /{a0}, which has priority')],
  [6, ['the contract has 6 findings; to list them, run "convsim check" with the same files']],
])('%d warnings about a contract are logged or, if there are more than five, counted', async (count, expected) => {
  const names = Array.from({ length: count + 1 }, (_, index) => `/{a${index}}`)
  const paths = Object.fromEntries(names.map((name) => [name, { get: { responses: { '204': { description: 'd' } } } }]))
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths }
  const { logged } = await startForTest({ contract: await tempFile(JSON.stringify(document), 'many.json') })
  expect(logged.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual(expected)
})
