import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { responsesFolder } from './recording.ts'

// Runs before each test file. The responses of its processes are recorded in a file with the test file's name.
const folder = process.env[responsesFolder]
if (folder !== undefined) {
  const recorder = fileURLToPath(new URL('record.cjs', import.meta.url))
  process.env['CONTROL_RESPONSES'] = join(folder, encodeURIComponent(expect.getState().testPath ?? ''))
  process.env['NODE_OPTIONS'] = `--require "${recorder}"`
  createRequire(import.meta.url)(recorder)
}
