import { spawnSync } from 'node:child_process'

/** Everything that `npm test` does, cheapest first; the first that fails is the last. */
const steps = [
  {
    script: 'lint',
    about: 'formatting, imports and lint rules (Biome); `npm run format` puts most of it right',
  },
  { script: 'types', about: 'types of src and test (tsc)' },
  { script: 'dead', about: 'no file, export or dependency that nothing uses (knip)' },
  {
    script: 'unit',
    about:
      'builds dist/, then runs every test; those over HTTP and of the command start what was built (vitest)',
  },
] as const

process.exitCode = runAll()

function runAll(): number {
  for (const [index, { script, about }] of steps.entries()) {
    console.log(`\n[${index + 1}/${steps.length}] npm run ${script}: ${about}`)
    const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' })
    if (status !== 0) {
      console.error(`\nnpm test stopped: "npm run ${script}" failed; what is wrong stands above.`)
      return status ?? 1
    }
  }
  return 0
}
