import { execFileSync } from 'node:child_process'
import { childLimits } from './child-limits.ts'

/** Builds the package once before all tests, since they start the built program. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], {
    ...childLimits,
    timeout: 300_000,
    stdio: 'inherit',
  })
}
