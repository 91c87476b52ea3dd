import { parseCommandLine } from '../../src/command-line/parser/parse.ts'
import { StopSignals } from '../../src/command-line/process/stop-signals.ts'
import { bundle } from './bundle.ts'

const { commands } = bundle.commands()

/** The outcome of a command. */
export interface ToolRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The options for a command that runs in this process. */
interface RunOptions {
  /** Receives progress messages. If this is undefined, the command runs as if stderr were not a terminal. */
  readonly terminal?: (text: string) => void
  /** Returns the time in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number
}

/** Runs a built command in this process, which is faster than starting a process. `env`: the environment variables. */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { terminal, now = Date.now }: RunOptions = {},
): Promise<ToolRun> {
  const parsed = parseCommandLine(commands, args, env)
  if (parsed.kind !== 'run') throw new Error(parsed.kind === 'problem' ? parsed.problem : parsed.kind)
  const { command } = parsed
  let stdout = ''
  let stderr = ''
  const showProgress = (text: string | Uint8Array) => {
    terminal?.(String(text))
    return true
  }
  const code = await command.run(parsed, {
    print(text) {
      stdout += `${text}\n`
    },
    printError(text) {
      stderr += `${text}\n`
    },
    host: Object.create(process, {
      env: { value: env },
      stderr: { value: { isTTY: terminal !== undefined, write: showProgress } },
    }),
    signals: new StopSignals({ on: () => process, exit: process.exit }, () => undefined),
    now,
    elapsed: now,
    parse: (words) => parseCommandLine(commands, words, env),
    openOutput: () => Promise.reject(new Error(`${command.name} needs its own process`)),
  })
  return { code, stdout, stderr }
}
