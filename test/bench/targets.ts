import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { newEvent, warmAnalytics } from './requests.ts'
import { freePort, send, startTarget, type Target } from './target.ts'

const inPackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Returns the built simulator, with default settings but for the port and the state file. */
export function builtSimulator(folder: string): Target {
  return simulatorOf(inPackage('.'), 'convsim', folder)
}

/** Returns the built simulator of a checkout under a name of its own. */
export function simulatorOf(checkout: string, name: string, folder: string): Target {
  const own = join(folder, name)
  const state = join(own, 'state.json')
  return {
    name,
    base: '/v1',
    arguments: (port) => [join(checkout, 'dist/cli.js'), '--port', String(port), '--state', state],
    reset: () => rm(own, { recursive: true, force: true }),
  }
}

/** Builds two servers that only send recorded replies of the simulator. */
export async function buildBaselines(folder: string): Promise<Target[]> {
  const answers = join(folder, 'answers.json')
  writeFileSync(answers, JSON.stringify(await recordAnswers(folder)))
  // Bundled to plain JavaScript, as the simulator is, inside node_modules, so that they find Express.
  const outdir = inPackage('node_modules/.cache/convsim-bench')
  await build({
    entryPoints: ['node-http', 'express'].map((name) => inPackage(`test/bench/baselines/${name}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  const target = (name: string, file: string): Target => ({
    name,
    base: '/v1',
    arguments: (port) => [join(outdir, file), String(port), answers],
  })
  return [target('Express', 'express.mjs'), target('node:http', 'node-http.mjs')]
}

async function recordAnswers(folder: string) {
  const simulator = await startTarget(builtSimulator(join(folder, 'recorded')), await freePort(), warmAnalytics)
  try {
    return { GET: await send(simulator.url, warmAnalytics), POST: await send(simulator.url, newEvent()) }
  } finally {
    await simulator.stop()
  }
}

/** Other simulators, each with the script that serves the same document, without its base path. */
const peerPackages = [
  {
    name: 'Prism',
    from: '@stoplight/prism-cli@5.12.0', // the last one for this Node
    arguments: (port: number) => ['@stoplight/prism-cli/dist/index.js', 'mock', '-p', String(port)],
  },
  {
    name: 'Steady',
    from: '@stdy/cli@0.22.2',
    arguments: (port: number) => ['@stdy/cli/steady.js', '--port', String(port)],
  },
]

/** Installs the peers in a folder. `missing`: the names of those that cannot be installed, with the reason. */
export function installPeers(folder: string): { readonly targets: Target[]; readonly missing: string[] } {
  const targets: Target[] = []
  const missing: string[] = []
  for (const { name, from, arguments: args } of peerPackages) {
    const prefix = join(folder, name)
    mkdirSync(prefix)
    writeFileSync(join(prefix, 'package.json'), '{ "private": true }')
    try {
      execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', from], { cwd: prefix, stdio: 'pipe' })
    } catch (error) {
      missing.push(
        `${name} is left out: ${from} cannot be installed (${error instanceof Error ? error.message.split('\n')[0] : error})`,
      )
      continue
    }
    const command = (port: number) => {
      const [script = '', ...words] = args(port)
      return [join(prefix, 'node_modules', script), ...words, inPackage('spec/openapi.yaml')]
    }
    targets.push({ name, base: '', arguments: command })
  }
  return { targets, missing }
}
