import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childLimits } from './child-limits.ts'
import { isBuilt } from './is-built.ts'

/** Builds the package before all tests, since they start the built program; not if `dist/` was built after the last change. */
export function setup(): void {
  if (isBuilt(fileURLToPath(new URL('../..', import.meta.url)))) return
  execFileSync('npm', ['run', '--silent', 'build'], {
    ...childLimits,
    timeout: 300_000,
    stdio: 'inherit',
  })
}
