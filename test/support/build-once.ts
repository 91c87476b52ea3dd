import { execFileSync } from 'node:child_process'
import { bounded } from './bounded.ts'

/** The tests start what is shipped, so it is built once before the first of them. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], {
    ...bounded,
    timeout: 300_000,
    stdio: 'inherit',
  })
}
