import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLE, compileScript } from '../../src/build/load.ts'
import { childLimits } from './child-limits.ts'
import { isBuilt } from './is-built.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the package before all tests, since they start the built program; not if `dist/` was built by this Node after the last change. */
export function setup(): void {
  if (isBuilt(root) && isCompiledByThisNode()) return
  execFileSync('npm', ['run', '--silent', 'build'], {
    ...childLimits,
    timeout: 300_000,
    stdio: 'inherit',
  })
}

/** Returns true if V8 takes the compiled code of the bundle, which is that of one version of Node. */
const isCompiledByThisNode = () => compileScript(join(root, 'dist', BUNDLE)).cachedDataRejected === false
