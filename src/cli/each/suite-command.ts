import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { redactText } from '../../journal/redact.ts'
import type { CommandLine } from '../exec.ts'
import { LastLines } from './last-lines.ts'
import { createMark, killMarked, killProcess, runVariable } from './marked-processes.ts'

/** The end of a command whose output was captured. */
export interface CapturedEnd {
  /** The exit code, as `RunningCommand.ended` has it. */
  readonly code: number
  readonly isTimedOut: boolean
  /** The last lines of stdout and stderr, without credentials and control characters. */
  readonly lastLines: readonly string[]
}

/** A running command in a process group of its own. */
export interface CapturedCommand {
  readonly ended: Promise<CapturedEnd>
  /** Ends the command and all its descendants. */
  end(): void
}

/** Kills a process and its descendants; does nothing where they have ended. `mark`: see `killMarked`. */
export type KillGroup = (child: ChildProcess, mark: string) => void

/** The time that a command has to close its output after its end, milliseconds. A process that convsim cannot find may hold it for ever. */
const outputGraceMs = 500

/** Runs a command without a shell and without input, and ends it after `limitMs` milliseconds; undefined: never. */
export function runCaptured(
  { file, args, env }: CommandLine,
  limitMs: number | undefined,
  killGroup: KillGroup,
): CapturedCommand {
  const mark = createMark(env[runVariable])
  const child = spawn(file, args, {
    env: { ...env, [runVariable]: mark.value },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    detached: true,
  })
  const end = () => killGroup(child, mark.id)
  const lines = new LastLines()
  for (const stream of [child.stdout, child.stderr]) {
    const add = lines.openStream()
    stream.setEncoding('utf8').on('data', add)
  }
  let isTimedOut = false
  const expire = () => {
    isTimedOut = true
    end()
  }
  const timer = limitMs === undefined ? undefined : setTimeout(expire, limitMs)
  child.once('exit', () => {
    clearTimeout(timer)
    end() // descendants that are left would hold the pipes and the port
  })
  const ended = waitForEnd(child, lines).then((code) => {
    clearTimeout(timer)
    return { code, isTimedOut, lastLines: lines.list().map((line) => redactText(line)) }
  })
  return { ended, end }
}

function waitForEnd(child: ChildProcess, lines: LastLines): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      lines.openStream()(`${error.code === 'ENOENT' ? 'There is no such command' : error.message}\n`)
      resolve(error.code === 'ENOENT' ? 127 : 126)
    })
    child.once('exit', () => {
      const closeOutput = () => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }
      const timer = setTimeout(closeOutput, outputGraceMs)
      child.once('close', () => clearTimeout(timer))
    })
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}

/** Creates the function that ends a process group, and the processes that have left it. On Windows, which has no groups, it ends the process alone. */
export function createKillGroup(host: NodeJS.Process): KillGroup {
  return (child, mark) => {
    if (child.pid === undefined) return
    if (host.platform === 'win32') {
      child.kill('SIGKILL')
      return
    }
    killProcess(-child.pid, host)
    killMarked(mark, host)
  }
}
