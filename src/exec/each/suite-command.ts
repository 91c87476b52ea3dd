import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { redactText } from '../../redaction/redact.ts'
import type { CommandLine } from '../run-command.ts'
import { LastLines } from './last-lines.ts'

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
  /** Ends the command and all other processes of its group. */
  end(): void
}

/** Kills all processes of the group of a command, or does nothing if they have ended. */
export type KillGroup = (child: ChildProcess) => void

/** The time that a command has to close its output after its end, milliseconds. A process that has left the group may hold it for ever. */
const outputGraceMs = 500

/** Runs a command without a shell and without input, and ends it after `limitMs` milliseconds; undefined: never. */
export function runCaptured(
  { file, args, env }: CommandLine,
  limitMs: number | undefined,
  killGroup: KillGroup,
): CapturedCommand {
  const child = spawn(file, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    detached: true,
  })
  const end = () => killGroup(child)
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
    end() // processes of the group would hold the pipes and the port
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

/** Creates the function that ends a process group. On Windows, which has no groups, it ends the process alone. */
export function createKillGroup({ platform, kill }: Pick<NodeJS.Process, 'platform' | 'kill'>): KillGroup {
  return (child) => {
    if (child.pid === undefined) return
    try {
      if (platform === 'win32') child.kill('SIGKILL')
      else kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
}
