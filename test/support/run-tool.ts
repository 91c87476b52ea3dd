import { parseCommandLine } from '../../src/config/arguments.ts'

/** The commands of the build that neither serve nor run another command. */
const { runTool }: typeof import('../../src/cli/tools.ts') = await import(
  new URL('../../dist/tools.js', import.meta.url).href
)

/** The outcome of a command. */
export interface ToolRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The surroundings of a command that runs in this process. */
interface RunOptions {
  /** Gets the progress; absent: stderr is no terminal. */
  readonly terminal?: (text: string) => void
  /** Returns epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** Runs a command of the build in this process, which is quicker than a process of its own. `env`: its environment. */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { terminal, now = Date.now }: RunOptions = {},
): Promise<ToolRun> {
  const parsed = parseCommandLine(args, env)
  if (parsed.kind !== 'run') throw new Error(parsed.kind === 'problem' ? parsed.problem : parsed.kind)
  const { command } = parsed
  if (command === 'serve' || command === 'proxy' || command === 'exec' || command === 'healthcheck')
    throw new Error(`${command} needs a process of its own`)
  let stdout = ''
  let stderr = ''
  const showProgress = (text: string | Uint8Array) => {
    terminal?.(String(text))
    return true
  }
  const code = await runTool(command, parsed, {
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
    signals: { finish: (work) => work() },
    now,
  })
  return { code, stdout, stderr }
}
