import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BUNDLE, cacheOf, compile, run } from './load.ts'

/**
 * Starts the command, asks it once, and keeps what V8 has compiled until then: V8 compiles a function when it is first
 * called, so these are the ones that a start and a first answer need.
 */
const file = fileURLToPath(new URL(`../../dist/${BUNDLE}`, import.meta.url))
const script = compile(file)
const ask = `fetch(process.env.CONVSIM_BASE_URL + '/models/00000000-0000-4000-8000-000000000002/analytics', {
  headers: { authorization: 'Bearer any-key' },
}).then(({ status }) => { process.exitCode = status === 200 ? 0 : 1 })`
process.argv = [process.execPath, file, 'exec', '--', process.execPath, '--eval', ask]
process.once('exit', (code) => {
  if (code === 0) writeFileSync(cacheOf(file), script.createCachedData())
})
run(script, file)['cli']?.()
