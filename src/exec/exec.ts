import type { CommandContext } from '../process/command.ts'
import { endSoon } from '../process/output.ts'
import { finish } from '../server/finish.ts'
import { startServer } from '../server/serve.ts'
import { addAddresses, forwardSignals, runCommand } from './run-command.ts'
import type { ExecContext } from './runs/test-suite.ts'
import type { ExecLine } from './settings.ts'

/** Runs a command once, once for each fault, or under sequences of faults, and returns the exit code. */
export async function exec(line: ExecLine, context: CommandContext): Promise<number> {
  const { settings } = line
  const output = await context.openOutput(settings)
  const deps = { ...context, output }
  // The output of the command is captured below, so stdout is for the report.
  const { each, only, hunt } = settings
  if (each === undefined && only === undefined && hunt === undefined) return execOnce(line, deps)
  const { runSuite } = await import('./runs/test-suite.ts')
  const trySuite =
    hunt === undefined ? (await import('./each/each.ts')).tryFaults : (await import('./hunt/hunt.ts')).huntFaults
  return endSoon(context.host, await runSuite(line, deps, trySuite))
}

/** Runs the command once. Writes nothing to stdout, which belongs to the command. */
async function execOnce(line: ExecLine, { host, signals, now, output }: ExecContext): Promise<number> {
  const { settings, files } = line
  const { log, printLine } = output
  const [file = '', ...args] = files
  const running = await startServer(line, output, now)
  if (!running) return 1
  const names = settings.env?.split(',') ?? []
  const child = runCommand({ file, args, env: addAddresses(host.env, running, names) })
  forwardSignals(child, signals, host)
  const { code, problem } = await child.ended
  const report = await running.closeWithReport()
  log.flush()
  if (problem !== undefined) printLine(`convsim exec: ${problem}`, 'error')
  return endSoon(host, await finish(running, report, { settings, code, command: files, printLine }))
}
