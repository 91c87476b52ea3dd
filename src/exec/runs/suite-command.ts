import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { redactText } from '../../redaction/redact.ts'
import { type CommandLine, describeStartError } from '../run-command.ts'

/** The end of a command whose output was captured. */
export interface CapturedEnd {
  /** The exit code, as `RunningCommand.ended` has it. */
  readonly code: number
  readonly isTimedOut: boolean
  /** The last lines of stdout and stderr, without credentials and control characters. */
  readonly lastLines: readonly string[]
}

/** The bounds of a command. */
interface CommandBounds {
  /** The time after which the command is ended, milliseconds. */
  readonly limitMs: number
  /** Ends the command; also one that begins when this is aborted already. */
  readonly stopped: AbortSignal
  readonly host: Pick<NodeJS.Process, 'platform' | 'kill'>
}

/** Runs a command without a shell and without input in a process group of its own, which ends with it. */
export async function runCaptured(
  { file, args, env }: CommandLine,
  { limitMs, stopped, host }: CommandBounds,
): Promise<CapturedEnd> {
  const child = start({ file, args, env })
  if ('problem' in child) return { code: child.code, isTimedOut: false, lastLines: [child.problem] }
  const lines = new LastLines()
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', lines.openStream())
  const end = () => killGroup(child, host)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    end()
  }, limitMs)
  stopped.addEventListener('abort', end)
  if (stopped.aborted) end()
  child.once('exit', () => {
    clearTimeout(timer)
    end() // processes of the group would hold the pipes and the port
  })
  const code = await waitForExit(child, file, lines)
  clearTimeout(timer)
  stopped.removeEventListener('abort', end)
  return { code, isTimedOut, lastLines: lines.list().map((line) => redactText(line)) }
}

function start({ file, args, env }: CommandLine) {
  try {
    return spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], shell: false, detached: true })
  } catch (error) {
    return describeStartError(file, error as Error)
  }
}

/** Kills the processes of the group of a command that have not ended. On Windows, without groups, only the command. */
function killGroup(child: ChildProcess, { platform, kill }: CommandBounds['host']): void {
  if (child.pid === undefined) return
  try {
    if (platform === 'win32') child.kill('SIGKILL')
    else kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

/** The milliseconds from the end of a command to that of its output, which a process outside the group may hold. */
const outputGraceMs = 500

function waitForExit(child: ChildProcess, file: string, lines: LastLines): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      const { code, problem } = describeStartError(file, error)
      lines.openStream()(`${problem}\n`)
      resolve(code)
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

/** The number of lines that are stored. */
const maxLines = 40

/** The number of characters that are stored of a line. */
const maxLength = 500

/** Stores the last lines of several streams, in the order in which the lines end. */
export class LastLines {
  readonly #lines: string[] = []
  readonly #open: { text: string }[] = []

  /** Returns a function that adds text of a further stream. */
  openStream(): (text: string) => void {
    const line = { text: '' }
    this.#open.push(line)
    return (text) => {
      const [first = '', ...others] = text.split('\n')
      line.text = cutOutput(line.text + first)
      for (const next of others.slice(-maxLines - 1)) {
        this.#add(line.text)
        line.text = cutOutput(next)
      }
    }
  }

  /** Returns the lines, those without an end last; empty lines are left out. */
  list(): string[] {
    const all = [...this.#lines, ...this.#open.map(({ text }) => clean(text))]
    return all.filter((line) => line !== '').slice(-maxLines)
  }

  #add(line: string): void {
    const text = clean(line)
    if (text === '') return
    this.#lines.push(text)
    if (this.#lines.length > maxLines) this.#lines.shift()
  }
}

const cutOutput = (text: string) => text.slice(0, maxLength)

const escapeCharacter = String.fromCharCode(27)

/** Removes the codes of colours, and other control characters. */
function clean(line: string): string {
  const [first = '', ...parts] = line.split(escapeCharacter)
  const text = [first, ...parts.map((part) => part.replace(/^\[[\d;?]*[A-Za-z]/, ''))].join('')
  return text.replace(/\p{Cc}/gu, ' ').trimEnd()
}
