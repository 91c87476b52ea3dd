import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../src/base/core/log.ts'
import { start } from '../../src/features/start.ts'
import { defaultSettings, type Settings } from '../../src/server/settings/settings.ts'

/*
 * `npm run files` uses V8's precise coverage to count the source files in which a named function is called. With
 * `--list`, it also prints the names of the files. Requests are measured in this process, with logging off, each after
 * an identical warm-up request. The `each` command is measured in its own process and in the processes that it starts.
 */
const sources = new URL('../../src/', import.meta.url).href
/** The names that V8 reports for anonymous functions, the tsx helper `__name`, and static initializers. */
const unnamed = ['', '__name', '<static_initializer>']
const folder = mkdtempSync(join(tmpdir(), 'convsim-files-'))
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const authorization = 'Bearer any-key'
const analyticsPath = '/models/4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34/analytics'
const event = { eventType: 'purchase', productId: '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75', value: '1' }
const body = JSON.stringify(event)
const post = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body }

report('cached GET', await measureRequest({}, analyticsPath, { headers: { authorization } }))
report('POST to a state file', await measureRequest({ state: join(folder, 'state.json') }, '/events', post))
report('each --set reset', measureEach())
rmSync(folder, { recursive: true })
session.disconnect()

async function measureRequest(settings: Partial<Settings>, path: string, init: RequestInit): Promise<string[]> {
  const all = { ...defaultSettings(), port: 0, state: ':memory:', ...settings }
  const running = await start(all, { now: Date.now, log: silentLog })
  if (!running.ok) throw new Error(JSON.stringify(running.error))
  const url = running.value.baseUrl + path
  const send = async () => (await fetch(url, init)).text()
  await send()
  await sleep(1000) // by then, the change has been written to the state file
  await session.post('Profiler.takePreciseCoverage') // resets the counts
  await send()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await running.value.close()
  return listFiles(result)
}

function measureEach(): string[] {
  const script = `fetch(process.env.CONVSIM_BASE_URL + '/events', ${JSON.stringify(post)})`
  const args = ['--import', 'tsx', 'src/cli.ts', 'each', '--set', 'reset', '--', process.execPath, '-e', script]
  const coverage = join(folder, 'coverage')
  const env = { ...process.env, NODE_V8_COVERAGE: coverage }
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0 && status !== 3) throw new Error(stderr)
  const files = readdirSync(coverage).map((name) => JSON.parse(readFileSync(join(coverage, name), 'utf8')))
  return listFiles(files.flatMap(({ result }) => result))
}

/** Lists the files in which a named function was called. */
function listFiles(scripts: readonly Profiler.ScriptCoverage[]): string[] {
  const called = scripts.filter(({ url, functions }) => {
    const named = functions.filter(({ functionName }) => !unnamed.includes(functionName))
    const isCalled = named.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    return url.startsWith(sources) && isCalled
  })
  return [...new Set(called.map(({ url }) => url.slice(sources.length).replace(/\?.*/, '')))].sort()
}

function report(name: string, files: readonly string[]): void {
  console.log(`${String(files.length).padStart(4)} ${name}`)
  if (process.argv.includes('--list')) for (const file of files) console.log(`       ${file}`)
}
