/**
 * The compiled code of the bundle. This script runs `convsim exec` with one request, and stores the code that V8 has
 * compiled by then. V8 compiles a function at its first call, so the stored functions are those of a start and of a
 * first reply. Its argument is the folder of the build, which takes the place of `dist/` later.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BUNDLE, compileBundle, runBundle, storeCompiled } from './load.ts'

const [, , folder = ''] = process.argv
const source = readFileSync(join(folder, BUNDLE))
const script = compileBundle(source, join(dirname(folder), 'dist', BUNDLE)) // Node 20 stores the path, too
const state = mkdtempSync(join(tmpdir(), 'convsim-build-'))
const sendRequest = `fetch(process.env.CONVSIM_BASE_URL + '/models/00000000-0000-4000-8000-000000000002/analytics', {
  headers: { authorization: 'Bearer any-key' },
}).then(({ status }) => { process.exitCode = status === 200 ? 0 : 1 })`
const settings = ['--port', '0', '--state', join(state, 'state.json')]
process.argv.splice(2, 1, 'exec', ...settings, '--', process.execPath, '--eval', sendRequest)
process.once('exit', (code) => {
  rmSync(state, { recursive: true })
  if (code === 0) storeCompiled(folder, source, script)
})
runBundle(script, folder)['cli']?.()
