import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../../src/base/core/log.ts'
import { defaultSettings } from '../../../src/server/settings/settings.ts'
import { createSimulator } from '../../../src/server/simulator/simulator.ts'
import { startForTest } from '../../support/start.ts'
import { tempFolder } from '../../support/temp-folder.ts'

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
