import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { responsesFolderVariable } from './recording.ts'

// Records each test file's control-plane responses in a file that is named after the path of the test file.
const folder = process.env[responsesFolderVariable]
if (folder !== undefined) {
  const recorder = fileURLToPath(new URL('record.cjs', import.meta.url))
  process.env['CONTROL_RESPONSES'] = join(folder, encodeURIComponent(expect.getState().testPath ?? ''))
  process.env['NODE_OPTIONS'] = `--require "${recorder}"`
  createRequire(import.meta.url)(recorder)
}
