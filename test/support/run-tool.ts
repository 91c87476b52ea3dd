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

/** Runs a command of the build in this process, which is quicker than a process of its own. `env`: its environment. */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ToolRun> {
  const parsed = parseCommandLine(args, env)
  if (parsed.kind !== 'run') throw new Error(parsed.kind === 'problem' ? parsed.problem : parsed.kind)
  const { command } = parsed
  if (command === 'serve' || command === 'proxy' || command === 'exec' || command === 'healthcheck')
    throw new Error(`${command} needs a process of its own`)
  let stdout = ''
  let stderr = ''
  const code = await runTool(command, parsed, {
    print(text) {
      stdout += `${text}\n`
    },
    printError(text) {
      stderr += `${text}\n`
    },
    host: { env, stdin: process.stdin, stdout: process.stdout },
    now: Date.now,
  })
  return { code, stdout, stderr }
}
