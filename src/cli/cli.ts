#!/usr/bin/env node
/**
 * The process: commands, signals, exit codes.
 *
 * `run` calls the function of a command. Commands write their output to stdout, and problems and the log to stderr.
 */
import { writeSync } from 'node:fs'
import { type Invocation, parseCommandLine } from '../config/arguments.ts'
import { triesFaults } from '../config/each-problem.ts'
import { defaultSettings, type Settings } from '../config/settings.ts'
import { upstreamTokenVariable } from '../config/variables.ts'
import { once } from '../core/once.ts'
import { formatFinding } from '../documents/finding.ts'
import { addAddresses, forwardSignals, runCommand } from '../exec/run-command.ts'
import { version } from '../fixtures/bundled.ts'
import { finish, printStateLoss } from '../process/finish.ts'
import { createOutput, type Output, printStartProblems } from '../process/output.ts'
import { describeStartProblems } from '../process/start-problem.ts'
import { StopSignals } from '../process/stop-signals.ts'
import { findReportProblem } from '../reports/report-file.ts'
import { parseReportTargets } from '../reports/report-target.ts'
import type { ProxiedService } from '../simulator/proxied-service.ts'
import type { RunningSimulator } from '../simulator/start.ts'
import { printHealth } from './health.ts'
import { formatBanner, formatReadyLine } from './ready.ts'
import { findServerSettings } from './server-settings.ts'
import type { Run, ToolName } from './tools.ts'
import { tuneV8 } from './tune-v8.ts'

/**
 * The exit code of the process. 0: success. 1: a bad setting, contract, fixture, state, port or report, a lost state, a
 * truncated report, or no health. 3: a condition of `--fail-on` is met, or a change of a contract breaks clients.
 * 128 + n: signal n ended the process. Others: the exit code of the command of `exec`.
 */
type ExitCode = number

/** The milliseconds that the last output of `serve` and `exec` has to be read, before the process ends without it. */
const outputGraceMs = 1000

// If stdout closes (EPIPE, as with `convsim | head -1`), the process continues. On any other write error it exits with
// 1. Neither stream is touched before it is needed: Node makes a pipe non-blocking for all processes that share it, such
// as the command of `exec`, whose write to a full pipe then fails with EAGAIN.
const stdout = once(() => process.stdout.on('error', reportOutputLoss))
const stderr = once(() => process.stderr.on('error', () => undefined))
const print = (text: string) => stdout().write(`${text}\n`)
const printError = (text: string) => stderr().write(`${text}\n`)
let isOutputLost = false
function reportOutputLoss(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || isOutputLost) return
  isOutputLost = true
  process.exitCode ||= 1
  printError(`convsim: the output cannot be written: ${error.message}.`)
}
const writeStderr = (bytes: Uint8Array) => writeSync(stderr().fd, bytes)

let printNotice: (text: string) => void = printError
const signals = new StopSignals(process, (text) => printNotice(text))
// A natural end restores the default of signals about 10 ms before the process is gone: 29 of 30 processes that got
// copies until then died of one, and lost their exit code. `process.exit` restores nothing.
process.once('beforeExit', (code) => process.exit(code))

// Each command imports its own modules, so that a container's health check, which starts this program every few seconds, is quick.
// No top-level await: the bundle is a script (build/load.ts).
main(parseCommandLine(process.argv.slice(2), process.env)).then((code) => {
  process.exitCode = code === 0 && isOutputLost ? 1 : code
})

async function main(invocation: Invocation): Promise<ExitCode> {
  if (invocation.kind === 'problem') {
    printError(`convsim: ${invocation.problem}`)
    return 1
  }
  if (invocation.kind === 'version') print(version)
  if (invocation.kind === 'help') await printHelp(invocation)
  return invocation.kind === 'run' ? run(invocation) : 0
}

function run(invocation: Run): Promise<ExitCode> {
  const { command, settings } = invocation
  switch (command) {
    case 'serve':
      return serve(invocation)
    case 'proxy':
      return proxy(invocation)
    case 'exec':
      return triesFaults(settings) || settings.hunt !== undefined
        ? execEach(invocation)
        : execCommand(invocation)
    case 'healthcheck':
      return printHealth(findServerSettings(settings, process.argv, process.env), {
        print,
        printError,
        now: () => performance.now(),
      })
    default:
      return runToolCommand(command, invocation)
  }
}

async function runToolCommand(command: ToolName, invocation: Run): Promise<ExitCode> {
  const { runTool } = await import('./tools.ts')
  return runTool(command, invocation, { print, printError, host: process, now: Date.now, signals })
}

/** Serves with the answers of the real service. */
async function proxy(invocation: Run): Promise<ExitCode> {
  const { readProxyTarget } = await import('../proxy/read-target.ts')
  const { createProxy } = await import('../proxy/proxy.ts')
  const { files, settings } = invocation
  const target = readProxyTarget(files, settings, process.env[upstreamTokenVariable] || undefined)
  if (target.ok) return serve(invocation, createProxy(target.value, settings))
  printError(`convsim proxy: ${target.error}`)
  return 1
}

async function serve(invocation: Run, proxied?: ProxiedService): Promise<ExitCode> {
  const { settings } = invocation
  const output = await openOutput(settings)
  const { log, isJson, printLine } = output
  for (const warning of invocation.warnings) log.warn({}, warning)
  // Before the start, because a signal may come during it.
  const stopRequested = new Promise<void>((resolve) => {
    signals.onStop((signal) => {
      log.info({ signal }, 'stopping: finishing what is in flight')
      resolve()
    })
  })
  const running = await startOrReport(invocation, output, proxied)
  if (!running) return 1
  if (proxied) log.info({ upstream: proxied.url }, 'requests go on to the real service')
  tuneV8()
  print(formatReadyLine(running, isJson, Date.now()))
  if (!isJson && log.isLevelEnabled('info')) printLine(formatBanner(running))
  await stopRequested
  const isReportRequested = [settings.report, settings.failOn, settings.bundle].some(
    (one) => one !== undefined,
  )
  const report = isReportRequested ? await running.closeWithReport() : await running.close()
  log.info({}, 'stopped')
  log.flush()
  const code = await printStateLoss(running, printLine)
  return endSoon(report ? await finish(running, report, { settings, code, printError: printLine }) : code)
}

/** Ends the process with a code, also if its output is never read, which would hold it. */
function endSoon(code: ExitCode): ExitCode {
  setTimeout(() => process.exit(code), outputGraceMs).unref()
  return code
}

/** Runs a command against a simulator of its own. Writes nothing to stdout, which belongs to the command. */
async function execCommand(invocation: Run): Promise<ExitCode> {
  const { settings, files } = invocation
  const [file = '', ...args] = files
  const output = await openOutput(settings)
  const { log, printLine } = output
  const running = await startOrReport(invocation, output)
  if (!running) return 1
  const names = settings.env?.split(',') ?? []
  const child = runCommand({ file, args, env: addAddresses(process.env, running, names) })
  forwardSignals(child, signals, process)
  const { code, problem } = await child.ended
  const report = await running.closeWithReport()
  log.flush()
  if (problem !== undefined) printLine(`convsim exec: ${problem}`, 'error')
  const lost = await printStateLoss(running, printLine)
  const run = { settings, code: code === 0 ? lost : code, command: [file, ...args], printError: printLine }
  return endSoon(await finish(running, report, run))
}

/** Runs a command once for each fault, or under sequences of faults. Its output is captured, so stdout is for the report. */
async function execEach(invocation: Run): Promise<ExitCode> {
  const output = await openOutput(invocation.settings)
  const deps = { host: process, signals, output, print, now: Date.now, elapsed: () => performance.now() }
  if (invocation.settings.hunt === undefined)
    return endSoon(await (await import('../exec/each/each.ts')).tryFaults(invocation, deps))
  return endSoon(await (await import('../exec/hunt/hunt.ts')).huntFaults(invocation, deps))
}

async function openOutput(settings: Settings): Promise<Output> {
  const isTerminal = process.stderr.isTTY === true
  const hasColors = isTerminal && process.stderr.hasColors()
  const stderrDeps = { isTerminal, hasColors, printError, write: writeStderr, now: Date.now }
  const output = await createOutput(settings, stderrDeps)
  process.once('exit', () => output.log.flush()) // the last lines explain a crash
  printNotice = (text) => output.printLine(text, 'error')
  return output
}

/** Starts the simulator. Undefined: the simulator cannot start, and the reason is printed. */
async function startOrReport(
  { settings, variables }: Run,
  output: Output,
  proxied?: ProxiedService,
): Promise<RunningSimulator | undefined> {
  const { log } = output
  const problem = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [], settings.bundle)
  if (problem !== undefined) {
    printStartProblems(describeStartProblems([problem], variables), output)
    return undefined
  }
  const { start } = await import('../simulator/start.ts')
  const started = await start(settings, { now: Date.now, log, proxied })
  log.flush() // warnings of the start precede the ready line
  if (started.ok) return started.value
  printStartProblems(describeStartProblems(started.error, variables), output)
  return undefined
}

/** Prints the help; that of the program ends with the scenarios of the bundled contract. */
async function printHelp({ command, text }: Extract<Invocation, { kind: 'help' }>): Promise<void> {
  if (command) return void print(text.trimEnd())
  const { loadInputs } = await import('../simulator/loaded-inputs.ts')
  const { describeCatalogue } = await import('../scenarios/describe.ts')
  const inputs = await loadInputs(defaultSettings())
  const scenarios = inputs.ok
    ? describeCatalogue(inputs.value.catalogue)
    : inputs.error.map(formatFinding).join('\n')
  print(
    `${text.trimEnd()}\n\nScenarios (--scenario, X-Sim-Scenario):\n${scenarios}\n\nDocumentation: docs/README.md in the folder of the package.`,
  )
}
