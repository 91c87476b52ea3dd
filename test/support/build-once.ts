import { execFileSync } from 'node:child_process'

/** The tests start what is shipped, so it is built once before the first of them. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], {
    timeout: 300_000,
    killSignal: 'SIGKILL',
    stdio: 'inherit',
  })
}
