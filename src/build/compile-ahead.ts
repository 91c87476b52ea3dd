/**
 * This script runs `convsim exec` with one request, and stores the code that V8 has compiled by then. V8 compiles a function at its
 * first call, so the stored functions are those of a start and of a first reply.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BUNDLE, cachePathOf, compileScript, runScript } from './load.ts'

const file = fileURLToPath(new URL(`../../dist/${BUNDLE}`, import.meta.url))
const script = compileScript(file)
const sendRequest = `fetch(process.env.CONVSIM_BASE_URL + '/models/00000000-0000-4000-8000-000000000002/analytics', {
  headers: { authorization: 'Bearer any-key' },
}).then(({ status }) => { process.exitCode = status === 200 ? 0 : 1 })`
process.argv = [process.execPath, file, 'exec', '--', process.execPath, '--eval', sendRequest]
process.once('exit', (code) => {
  if (code === 0) writeFileSync(cachePathOf(file), script.createCachedData())
})
runScript(script, file)['cli']?.()
