import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** The built command in a process of its own. */
export interface Command {
  readonly process: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Once it listens: `http://127.0.0.1:12345`. Rejects, with what it said, where it ends before. */
  readonly ready: () => Promise<string>
  /** Resolves once what it said on stderr matches. */
  readonly says: (pattern: RegExp) => Promise<void>
  /** The same of stdout. */
  readonly prints: (pattern: RegExp) => Promise<void>
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface Surrounded {
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** Default: nothing comes in. */
  readonly stdin?: 'ignore' | 'pipe'
}

/** Runs `convsim` with these arguments; whatever is left of it when the test is over is killed. */
export function convsim(
  args: readonly string[],
  { env = {}, cwd, stdin = 'ignore' }: Surrounded = {},
): Command {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  })
  let out = ''
  let errors = ''
  let over = false
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
    changed()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    changed()
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    over = true
    changed()
    return (code ?? signal) as number | string
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const until = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const listener = () => {
        const found = look()
        if (found === undefined && !over) return
        listeners.delete(listener)
        if (found === undefined) reject(new Error(`convsim ended; stdout: ${out}\nstderr: ${errors}`))
        else resolve(found)
      }
      listeners.add(listener)
      listener()
    })
  return {
    process: child,
    stdout: () => out,
    stderr: () => errors,
    ready: () => until(() => /is listening on (http:\/\/[^\s"]+)/.exec(out)?.[1]),
    prints: async (pattern) => void (await until(() => pattern.exec(out)?.[0])),
    says: async (pattern) => void (await until(() => pattern.exec(errors)?.[0])),
    ended,
  }
}

/** Runs it to its end. */
export async function run(args: readonly string[], surrounded: Surrounded = {}) {
  const command = convsim(args, surrounded)
  const code = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}
