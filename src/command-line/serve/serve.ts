/** `command-line/serve/`: runs a server from startup to shutdown, including the ready line and the final reports. */
import { shutdownGraceMs } from '../../server/http/connections.ts'
import { findReportProblem, parseReportTargets } from '../../server/reports/formats/index.ts'
import type { Settings } from '../../server/settings/settings.ts'
import type { ProxiedService } from '../../server/simulator/generation.ts'
import type { Dependencies } from '../../server/simulator/simulator.ts'
import type { RunningSimulator } from '../../server/simulator/start.ts'
import { version } from '../../service/fixtures/bundled.ts'
import type { CommandLineOf } from '../parser/program.ts'
import { type CommandContext, endSoon, formatJsonLine, type Output, printStartProblems } from '../process/command.ts'
import { finish, printStateLoss } from './finish.ts'
import { tuneV8 } from './tune-v8.ts'

/** Serves until a signal arrives, and returns the exit code. With `proxied`, forwards requests to the real service. */
export async function serve(
  { settings, variables }: Omit<CommandLineOf<Settings>, 'args'>,
  { host, print, signals, now, openOutput }: CommandContext,
  proxied?: ProxiedService,
): Promise<number> {
  const output = await openOutput(settings)
  const { log, isJson, printLine } = output
  // Listen before the server starts, because a signal may arrive during startup.
  const stopRequested = new Promise<void>((resolve) => {
    signals.onStop((signal) => {
      log.info({ signal }, `stopping: waiting at most ${shutdownGraceMs / 1000} s for open requests`)
      resolve()
    })
  })
  const running = await startServer({ settings, variables }, output, now, { proxied })
  if (!running) return 1
  if (proxied) log.info({ upstream: proxied.url }, 'requests are forwarded to the real service')
  tuneV8()
  print(formatReadyLine(running, isJson, now()))
  if (!isJson && log.isLevelEnabled('info')) printLine(formatBanner(running))
  await stopRequested
  return endServer(running, settings, output, host)
}

/** Formats the only line that `serve` prints on stdout; scripts can wait for `is listening on`. */
function formatReadyLine({ origin, baseUrl }: RunningSimulator, isJson: boolean, now: number): string {
  const message = `convsim ${version} is listening on ${origin}`
  return isJson ? formatJsonLine('info', now, message, { baseUrl }) : `${message} (base URL ${baseUrl})`
}

function formatBanner(running: RunningSimulator): string {
  // Not every client can connect to the wildcard address.
  const origin = running.origin.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost')
  const example = running.findExample()
  const curl = running.ca ? `curl --cacert "${running.ca.caFile}"` : 'curl'
  const target = `-H "Authorization: Bearer any-key" "${origin}${example?.path}"`
  const requests = example
    ? [
        ['Send a request', `${curl} ${target}`],
        ['Make it fail', `${curl} -i -H "X-Sim-Scenario: ${example.scenario}" ${target}`],
      ]
    : [
        ['List the operations', `${curl} "${origin}/__sim/info"`],
        ['List the scenarios', `${curl} "${origin}/__sim/catalogue"`],
      ]
  const rows = [
    ...requests,
    ['List the requests', `${curl} "${origin}/__sim/requests"`],
    ['Watch in a browser', `${origin}/__sim/`],
  ]
  return `\n${rows.map(([label, command]) => `  ${`${label}:`.padEnd(20)} ${command}`).join('\n')}\n`
}

export async function startServer(
  { settings, variables }: Pick<CommandLineOf<Settings>, 'settings' | 'variables'>,
  output: Output,
  now: () => number,
  options: Pick<Dependencies, 'proxied' | 'isTemporary'> = {},
): Promise<RunningSimulator | undefined> {
  const problem = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [])
  if (problem !== undefined) {
    printStartProblems([problem], variables, output)
    return undefined
  }
  const { start } = await import('../../server/simulator/start.ts')
  const started = await start(settings, { now, log: output.log, ...options })
  output.log.flush() // so that startup warnings precede the ready line
  if (started.ok) {
    const { ca } = started.value
    if (ca) output.printLine(`convsim: the CA certificate is in ${ca.caFile}`)
    return started.value
  }
  printStartProblems(started.error, variables, output)
  return undefined
}

export async function endServer(
  running: RunningSimulator,
  settings: Settings,
  { log, printLine }: Output,
  host: CommandContext['host'],
): Promise<number> {
  const isReportRequested = settings.report !== undefined || settings.failOn !== undefined
  const report = isReportRequested ? await running.closeWithReport() : await running.close()
  log.info({}, 'stopped')
  log.flush()
  const run = { settings, code: 0, printLine }
  return endSoon(host, report ? await finish(running, report, run) : await printStateLoss(running, printLine))
}
