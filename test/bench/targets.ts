import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { newEvent, warmAnalytics } from './requests.ts'
import { freePort, send, startTarget, type Target } from './target.ts'

const inPackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Builds this checkout and `others`, then runs `work` with a temporary folder that is removed afterward. */
export async function withBuild(work: (folder: string) => Promise<void>, ...others: readonly string[]): Promise<void> {
  for (const cwd of [inPackage('.'), ...others])
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', cwd })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns this checkout's built simulator, with the default settings except for the port and the state file. */
export function builtSimulator(folder: string): Target {
  return simulatorOf(inPackage('.'), 'convsim', folder)
}

/** Returns a checkout's built simulator as a target with the given name. Its state file is in `folder`. */
export function simulatorOf(checkout: string, name: string, folder: string): Target {
  const stateFolder = join(folder, name)
  const state = join(stateFolder, 'state.json')
  return {
    name,
    base: '/v1',
    arguments: (port) => [join(checkout, 'dist/cli.js'), '--port', String(port), '--state', state],
    reset: () => rm(stateFolder, { recursive: true, force: true }),
  }
}

/** Records responses from the simulator and builds two servers that only send these responses. */
export async function buildBaselines(folder: string): Promise<Target[]> {
  const responsesFile = join(folder, 'responses.json')
  const simulator = await startTarget(builtSimulator(join(folder, 'recorded')), await freePort(), warmAnalytics)
  const replies = { GET: await send(simulator.url, warmAnalytics), POST: await send(simulator.url, newEvent()) }
  await simulator.stop()
  writeFileSync(responsesFile, JSON.stringify(replies))
  // Like the simulator, the servers are plain JavaScript. Their file is in `node_modules`, so it can import Express.
  const outfile = inPackage('node_modules/.cache/convsim-bench/baseline.mjs')
  const entryPoints = [inPackage('test/bench/baseline.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  return ['Express', 'node:http'].map((name) => ({
    name,
    base: '/v1',
    arguments: (port) => [outfile, name, String(port), responsesFile],
  }))
}
