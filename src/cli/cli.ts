#!/usr/bin/env node
/**
 * The process: commands, signals, exit codes.
 *
 * `run` calls the function of a command. Commands write their output to stdout, and problems and the log to stderr.
 */
import { readFileSync, writeSync } from 'node:fs'
import { type Invocation, parseCommandLine } from '../config/arguments.ts'
import { defaultSettings, type Settings } from '../config/settings.ts'
import { once } from '../core/once.ts'
import { formatFinding } from '../documents/finding.ts'
import { bundledContract, version } from '../fixtures/bundled.ts'
import { findReportFileProblem } from '../reports/report-file.ts'
import type { RunningSimulator } from '../simulator/start.ts'
import { addAddresses, type RunningCommand, runCommand } from './exec.ts'
import { finish } from './finish.ts'
import { requestHealth } from './health.ts'
import { createOutput, type Output, printStartProblems } from './output.ts'
import type { ProcessLog } from './process-log.ts'
import { formatBanner, formatReadyLine } from './ready.ts'
import { tuneV8 } from './tune-v8.ts'

/**
 * The exit code of the process. 0: success. 1: a bad setting, contract, fixture, state, port or report, or no health. 3: a condition
 * of `--fail-on` is met. Others: the exit code of the command of `exec`.
 */
type ExitCode = number

/** The milliseconds that the last output of `serve` and `exec` has to be read, before the process ends without it. */
const outputGraceMs = 1000

// A reader that is gone (`convsim | head -1`) loses the output; the process goes on. Neither stream is touched before it is needed:
// Node makes a pipe non-blocking for all who share it, such as the command of `exec`: a write to a full pipe fails with EAGAIN.
const stdout = once(() => process.stdout.on('error', () => undefined))
const stderr = once(() => process.stderr.on('error', () => undefined))
const print = (text: string) => stdout().write(`${text}\n`)
const printError = (text: string) => stderr().write(`${text}\n`)
const writeStderr = (bytes: Uint8Array) => writeSync(stderr().fd, bytes)

// Each command imports its own modules, so that a container's health check, which starts this program every few seconds, is quick.
// No top-level await: the bundle is a script (build/load.ts).
main(parseCommandLine(process.argv.slice(2), process.env)).then((code) => {
  process.exitCode = code
})

async function main(invocation: Invocation): Promise<ExitCode> {
  if (invocation.kind === 'problem') {
    printError(`convsim: ${invocation.problem}`)
    return 1
  }
  if (invocation.kind === 'version') print(version)
  if (invocation.kind === 'help') await printHelp(invocation.text)
  return invocation.kind === 'run' ? run(invocation) : 0
}

function run({ command, settings, files }: Extract<Invocation, { kind: 'run' }>): Promise<ExitCode> {
  switch (command) {
    case 'serve':
      return serve(settings)
    case 'exec':
      return execCommand(settings, files)
    case 'check':
      return printChecks(files, settings)
    case 'assumptions':
      return printAssumptions(files[0] ?? settings.contract ?? bundledContract)
    case 'healthcheck':
      return printHealth(findServerSettings(settings))
  }
}

async function serve(settings: Settings): Promise<ExitCode> {
  const output = await openOutput(settings)
  const { log, isJson, printLine } = output
  const stopRequested = waitForStopSignal(log) // before the start, because a signal may come during it
  const running = await startOrReport(settings, output)
  if (!running) return 1
  tuneV8()
  print(formatReadyLine(running, isJson, Date.now()))
  if (!isJson && log.isLevelEnabled('info')) printLine(formatBanner(running))
  await stopRequested
  await running.close()
  log.info({}, 'stopped')
  log.flush()
  const isReportRequested = settings.report !== undefined || settings.failOn !== undefined
  return endSoon(isReportRequested ? await finish(running, settings, 0, undefined, printLine) : 0)
}

/** Ends the process with a code, also if its output is never read, which would hold it. */
function endSoon(code: ExitCode): ExitCode {
  setTimeout(() => process.exit(code), outputGraceMs).unref()
  return code
}

/** Runs a command against a simulator of its own. Writes nothing to stdout, which belongs to the command. */
async function execCommand(settings: Settings, [file = '', ...args]: readonly string[]): Promise<ExitCode> {
  const output = await openOutput(settings)
  const { log, printLine } = output
  const running = await startOrReport(settings, output)
  if (!running) return 1
  const names = settings.env?.split(',') ?? []
  const child = runCommand({ file, args, env: addAddresses(process.env, running, names) })
  const stopForwarding = forwardSignals(child)
  const { code, problem } = await child.ended
  stopForwarding()
  await running.close()
  log.flush()
  if (problem !== undefined) printLine(`convsim exec: ${problem}`, 'error')
  return endSoon(await finish(running, settings, code, [file, ...args], printLine))
}

/** Forwards signals to the child and kills it when this process exits, until the returned function is called. */
function forwardSignals(child: RunningCommand): () => void {
  // On Ctrl-C the terminal signals the whole process group, so the child already has the first SIGINT; forward only later ones.
  let childHasSignal = process.stdin.isTTY === true
  const forward = (signal: NodeJS.Signals) => {
    if (signal === 'SIGTERM' || !childHasSignal) child.kill(signal)
    childHasSignal = false
  }
  const killChild = () => child.kill('SIGKILL')
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
  for (const signal of signals) process.on(signal, forward)
  process.once('exit', killChild)
  return () => {
    for (const signal of signals) process.off(signal, forward)
    process.off('exit', killChild)
  }
}

async function openOutput(settings: Settings): Promise<Output> {
  const isTerminal = process.stderr.isTTY === true
  const hasColors = isTerminal && process.stderr.hasColors()
  const stderrDeps = { isTerminal, hasColors, printError, write: writeStderr, now: Date.now }
  const output = await createOutput(settings, stderrDeps)
  process.once('exit', () => output.log.flush()) // the last lines explain a crash
  return output
}

/** Starts the simulator. Undefined: the simulator cannot start, and the reason is printed. */
async function startOrReport(settings: Settings, output: Output): Promise<RunningSimulator | undefined> {
  const { log } = output
  const problem = settings.report === undefined ? undefined : await findReportFileProblem(settings.report)
  if (problem !== undefined) {
    printStartProblems([`  ${problem}`], output)
    return undefined
  }
  const { start } = await import('../simulator/start.ts')
  const fatal = (problem: string): never => {
    log.error({ problem }, 'the process ends, since its state in memory is wrong')
    process.exit(1)
  }
  const started = await start(settings, { now: Date.now, log, fatal })
  log.flush() // warnings of the start precede the ready line
  if (started.ok) return started.value
  printStartProblems(started.error.map(formatFinding), output)
  return undefined
}

/** Resolves on the first SIGINT, SIGTERM or SIGHUP (its terminal was closed). A second signal of the same kind ends the process immediately, as is Node's default. */
function waitForStopSignal(log: ProcessLog): Promise<void> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      log.info({ signal }, 'stopping: finishing what is in flight')
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  })
}

async function printChecks(files: readonly string[], settings: Settings): Promise<ExitCode> {
  const { checkFiles } = await import('./check.ts')
  const { loadInputs } = await import('../simulator/loaded-inputs.ts')
  // A folder of fixtures is loaded together with the contract of the settings, so that names of scenarios are checked, too.
  const all = await checkFiles(files, (fixtures = settings.fixtures) => loadInputs({ ...settings, fixtures }))
  for (const { file, findings, summary } of all) {
    for (const finding of findings) print(formatFinding(finding))
    print(summary ? `${file}: ok, ${summary}` : `${file}: not fit to be served`)
  }
  return all.every(({ summary }) => summary) ? 0 : 1
}

async function printAssumptions(file: string): Promise<ExitCode> {
  const { loadContract } = await import('../contract/load.ts')
  const loaded = await loadContract(file)
  if (!loaded.ok) {
    printError(loaded.error.map(formatFinding).join('\n'))
    return 1
  }
  for (const { pointer, text } of loaded.value.assumptions) print(`${pointer || '/'}\n  ${text}`)
  return 0
}

/**
 * Finds the settings of the server whose health is requested: those of `ownSettings`, but without arguments those of process 1 if it
 * is this program. In a container (`docker run convsim --port 5000`) only the command line of process 1 has the port.
 */
function findServerSettings(ownSettings: Settings): Settings {
  const [, program = '', , ...ownArguments] = process.argv
  const serverCommand = ownArguments.length > 0 ? [] : readCommandOfProcess1()
  const at = serverCommand.indexOf(program)
  if (at < 0) return ownSettings
  const served = parseCommandLine(serverCommand.slice(at + 1), process.env)
  return served.kind === 'run' ? served.settings : ownSettings
}

function readCommandOfProcess1(): string[] {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1)
  } catch {
    return [] // not on Linux
  }
}

async function printHealth({ host, port }: Settings): Promise<ExitCode> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/__sim/health`
  const health = await requestHealth(url)
  if (!health.ok) {
    printError(`convsim: no answer from ${url}: ${health.error}. Is it running, and is --port right?`)
    return 1
  }
  print(health.value.body)
  return health.value.status === 200 ? 0 : 1
}

/** Prints the help, with the scenarios of the bundled contract at its end. */
async function printHelp(text: string): Promise<void> {
  const { loadInputs } = await import('../simulator/loaded-inputs.ts')
  const { describeCatalogue } = await import('../scenarios/describe.ts')
  const inputs = await loadInputs(defaultSettings())
  const scenarios = inputs.ok
    ? describeCatalogue(inputs.value.catalogue)
    : inputs.error.map(formatFinding).join('\n')
  print(`${text.trimEnd()}\n\nScenarios (--scenario, X-Sim-Scenario):\n${scenarios}`)
}
