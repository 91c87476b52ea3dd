import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { recordingEnv } from './control-responses/recording.ts'

/** The path of the built command. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** A running program, usually the built command. */
export interface Command {
  readonly process: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves to the origin (`http://127.0.0.1:12345`) as soon as it is printed. Rejects if the process exits first. */
  readonly ready: () => Promise<string>
  /** Resolves as soon as stderr matches the pattern. Rejects if the process exits first. */
  readonly untilStderr: (pattern: RegExp) => Promise<void>
  /** Resolves as soon as stdout matches the pattern. Rejects if the process exits first. */
  readonly untilStdout: (pattern: RegExp) => Promise<void>
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | string>
  /** Sends a signal, SIGTERM by default, and resolves like `ended`. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string>
}

/** The flags for a server on a free port with its state in memory. */
export const inMemory = ['--port', '0', '--state', ':memory:'] as const

export interface RunOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** Default: `ignore`. */
  readonly stdin?: 'ignore' | 'pipe'
  /** Runs the command in its own process group, whose ID is the process ID. Default: false. */
  readonly detached?: boolean
}

/** Starts `convsim` with these arguments and kills it at the end of the test. */
export function convsim(args: readonly string[], options: RunOptions = {}): Command {
  return startProgram(process.execPath, [cli, ...args], options)
}

/** Starts a program, usually one that runs `convsim`, and kills it at the end of the test. */
export function startProgram(
  file: string,
  args: readonly string[],
  { env = {}, cwd, stdin = 'ignore', detached = false }: RunOptions = {},
): Command {
  const child = spawn(file, args, {
    detached,
    env: { PATH: process.env['PATH'], ...recordingEnv(), ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  })
  const output = { stdout: '', stderr: '' }
  let hasEnded = false
  const listeners = new Set<() => void>()
  const notifyListeners = () => {
    for (const listener of listeners) listener()
  }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
      notifyListeners()
    })
  const ended = once(child, 'close').then(([code, signal]) => {
    hasEnded = true
    notifyListeners()
    return (code ?? signal) as number | string
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const waitFor = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const listener = () => {
        const found = find()
        if (found === undefined && !hasEnded) return
        listeners.delete(listener)
        if (found === undefined) reject(new Error(`${file} exited; stdout: ${output.stdout}\nstderr: ${output.stderr}`))
        else resolve(found)
      }
      listeners.add(listener)
      listener()
    })
  return {
    process: child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ready: () => waitFor(() => /is listening on (https?:\/\/[^\s"]+)/.exec(output.stdout)?.[1]),
    untilStdout: async (pattern) => void (await waitFor(() => pattern.exec(output.stdout)?.[0])),
    untilStderr: async (pattern) => void (await waitFor(() => pattern.exec(output.stderr)?.[0])),
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Runs `convsim` until it exits. */
export async function run(args: readonly string[], options: RunOptions = {}) {
  const command = convsim(args, options)
  const code = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}
