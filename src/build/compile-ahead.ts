/**
 * The compiled code of the bundle. This script runs `convsim exec` with one request, and stores the code that V8 has
 * compiled by then in the folder of the bundle, its only argument. V8 compiles a function at its first call, so the
 * stored functions are those of a start and of a first reply.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileBundle, compiledPathOf, runBundle } from './load.ts'

const [, , folder = ''] = process.argv
const script = compileBundle(folder)
const state = mkdtempSync(join(tmpdir(), 'convsim-build-'))
const sendRequest = `fetch(process.env.CONVSIM_BASE_URL + '/models/00000000-0000-4000-8000-000000000002/analytics', {
  headers: { authorization: 'Bearer any-key' },
}).then(({ status }) => { process.exitCode = status === 200 ? 0 : 1 })`
const settings = ['--port', '0', '--state', join(state, 'state.json')]
process.argv.splice(2, 1, 'exec', ...settings, '--', process.execPath, '--eval', sendRequest)
for (const name of Object.keys(process.env)) if (name.startsWith('CONVSIM_')) delete process.env[name]
process.once('exit', (code) => {
  rmSync(state, { recursive: true })
  if (code === 0) writeFileSync(compiledPathOf(folder), script.createCachedData())
})
runBundle(script, folder)['cli']?.()
