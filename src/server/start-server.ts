import type { CommandLineOf } from '../config/command-syntax.ts'
import type { Settings } from '../config/settings.ts'
import { type Output, printStartProblems } from '../process/output.ts'
import { findReportProblem } from '../reports/report-file.ts'
import { parseReportTargets } from '../reports/report-target.ts'
import type { ProxiedService } from '../simulator/explain.ts'
import type { RunningSimulator } from '../simulator/start.ts'

/** Starts the simulator. Returns undefined, and prints the reason, if it cannot start. */
export async function startServer(
  { settings, variables }: Pick<CommandLineOf<Settings>, 'settings' | 'variables'>,
  output: Output,
  now: () => number,
  proxied?: ProxiedService,
): Promise<RunningSimulator | undefined> {
  const problem = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [], settings.bundle)
  if (problem !== undefined) {
    printStartProblems([problem], variables, output)
    return undefined
  }
  const { start } = await import('../simulator/start.ts')
  const started = await start(settings, { now, log: output.log, proxied })
  output.log.flush() // warnings of the start precede the ready line
  if (started.ok) return started.value
  printStartProblems(started.error, variables, output)
  return undefined
}
