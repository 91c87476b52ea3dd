import { spawnSync } from 'node:child_process'

/** The steps of `npm test`, the cheapest first. A failed step ends the run. */
const steps = [
  {
    script: 'lint',
    description: 'formatting, imports and lint rules (Biome); `npm run format` corrects most of it',
  },
  { script: 'types', description: 'types of src and test (tsc)' },
  { script: 'dead', description: 'unused files, exports and dependencies (knip)' },
  {
    script: 'unit',
    description:
      'builds dist/, then runs every test; those over HTTP and of the command start the built program (vitest)',
  },
] as const

process.exitCode = runAll()

function runAll(): number {
  for (const [index, { script, description }] of steps.entries()) {
    console.log(`\n[${index + 1}/${steps.length}] npm run ${script}: ${description}`)
    const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' })
    if (status !== 0) {
      console.error(`\nnpm test stopped: "npm run ${script}" failed; its output is above.`)
      return status ?? 1
    }
  }
  return 0
}
