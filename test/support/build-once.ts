import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isBuilt } from '../../src/build/is-built.mjs'
import { childLimits } from './child-limits.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the package before all tests if a source file has changed since the last build. The tests use the build. */
export function setup(): void {
  if (isBuilt(root)) return
  execFileSync('npm', ['run', '--silent', 'build'], { ...childLimits, timeout: 300_000, stdio: 'inherit' })
}
