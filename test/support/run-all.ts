import { spawnSync } from 'node:child_process'
import { describeMissingTools } from './tools.ts'

/** The steps of `npm test`, cheapest first. The run stops after a failed step. */
const steps = [
  { script: 'lint', description: 'formatting, imports and lint rules (Biome); `npm run format` fixes most problems' },
  { script: 'types', description: 'types in `src` and `test` (tsc)' },
  { script: 'dead', description: 'unused files, exports and dependencies (knip)' },
  { script: 'unit', description: 'tests (vitest); HTTP and command-line tests run the built program' },
] as const

process.exitCode = run(process.argv.slice(2))

/**
 * Runs all steps and returns the exit code. With arguments for vitest (files, folders, `-u`), runs only vitest,
 * including the long tests. Tests that need a missing program are skipped; in CI, a missing program is an error.
 */
function run(args: readonly string[]): number {
  const messages = describeMissingTools()
  for (const message of messages) console.error(message)
  if (messages.length > 0 && process.env['CI'] === 'true') {
    console.error('Nothing was run: with CI=true, a missing program is an error.')
    return 1
  }
  const selectedSteps = args.length > 0 ? steps.slice(-1) : steps
  const vitestArgs = args.length > 0 ? args : ['--tags-filter=!long']
  for (const [index, { script, description }] of selectedSteps.entries()) {
    console.log(`\n[${index + 1}/${selectedSteps.length}] npm run ${script}: ${description}`)
    const options = script === 'unit' ? vitestArgs : []
    const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...options], { stdio: 'inherit' })
    if (status !== 0) {
      console.error(`\nnpm test stopped because "npm run ${script}" failed. Its output is above.`)
      return status ?? 1
    }
  }
  return 0
}
