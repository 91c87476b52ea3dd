import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { newEvent, warmAnalytics } from './questions.ts'
import { ask, freePort, startTarget, type Target } from './target.ts'

const inPackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** What is shipped, with every default but the port and the file of the state. */
export function shipped(folder: string): Target {
  const state = join(folder, 'state.json')
  return {
    name: 'convsim',
    arguments: (port) => [inPackage('dist/cli.js'), '--port', String(port), '--state', state],
  }
}

/** Two servers that do nothing else than to send what the simulator answered. */
export async function baselines(folder: string): Promise<Target[]> {
  const answers = join(folder, 'answers.json')
  writeFileSync(answers, JSON.stringify(await recordAnswers(folder)))
  // Plain JavaScript, as the simulator is; inside node_modules, so that Express is found from there.
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
    arguments: (port) => [join(outdir, file), String(port), answers],
  })
  return [target('Express', 'express.mjs'), target('node:http', 'node-http.mjs')]
}

async function recordAnswers(folder: string) {
  const simulator = await startTarget(shipped(join(folder, 'recorded')), await freePort(), warmAnalytics)
  try {
    return { GET: await ask(simulator.url, warmAnalytics), POST: await ask(simulator.url, newEvent()) }
  } finally {
    await simulator.stop()
  }
}
