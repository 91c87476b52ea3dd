#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { type Invocation, readSettings } from '../config/arguments.ts'
import { defaultSettings, type Settings } from '../config/settings.ts'
import type { Finding } from '../documents/finding.ts'
import { bundledContract, version } from '../fixtures/bundled.ts'
import { type FailCondition, parseGates } from '../reports/gates.ts'
import { summaryOf } from '../reports/model.ts'
import { problemOfReportFile, writeReport } from '../reports/report-file.ts'
import type { RunningSimulator } from '../simulator/start.ts'
import { type Child, environmentWith, runCommand } from './exec.ts'
import { askHealth } from './health.ts'
import type { ProcessLog } from './process-log.ts'
import { tuneV8 } from './tune-v8.ts'

/** 0: all well. 1: a bad setting, contract, fixture, state, port or report. 3: `--fail-on`. Any other: that of the command of `exec`. */
type ExitCode = number

const print = (text: string) => process.stdout.write(`${text}\n`)
const printError = (text: string) => process.stderr.write(`${text}\n`)

// The server is loaded by the commands that need it: a container asks for health every few seconds.
// Nothing is awaited at the top, which a script could not have: dist/ is one (build/load.ts).
main(readSettings(process.argv.slice(2), process.env)).then((code) => {
  process.exitCode = code
})

async function main(asked: Invocation): Promise<ExitCode> {
  if (asked.kind === 'problem') {
    printError(`convsim: ${asked.problem}`)
    return 1
  }
  if (asked.kind === 'version') print(version)
  if (asked.kind === 'help') await help(asked.text)
  return asked.kind === 'run' ? run(asked) : 0
}

function run({ command, settings, files }: Extract<Invocation, { kind: 'run' }>): Promise<ExitCode> {
  switch (command) {
    case 'serve':
      return serve(settings)
    case 'exec':
      return exec(settings, files)
    case 'check':
      return checkFiles(files, settings)
    case 'assumptions':
      return listAssumptions(files[0] ?? settings.contract ?? bundledContract)
    case 'healthcheck':
      return healthcheck(servedWith(settings))
  }
}

async function serve(settings: Settings): Promise<ExitCode> {
  const { log, pretty } = await openLog(settings)
  const asked = stopSignal(log) // from here on, since a stop may be asked for before we are ready
  const running = await begin(settings, log)
  if (!running) return 1
  tuneV8()
  announce(running, pretty)
  await asked
  await running.close()
  log.info({}, 'stopped')
  log.flush()
  const isAsked = settings.report !== undefined || settings.failOn !== undefined
  return isAsked ? finish(running, settings, 0) : 0
}

/** Runs a command against a simulator of its own. Says nothing on stdout, which is the command's. */
async function exec(settings: Settings, [file = '', ...args]: readonly string[]): Promise<ExitCode> {
  const { log } = await openLog(settings)
  const running = await begin(settings, log)
  if (!running) return 1
  const names = settings.env?.split(',') ?? []
  const child = runCommand({ file, args, env: environmentWith(process.env, running, names) })
  const letGo = passSignals(child)
  const { code, problem } = await child.ended
  letGo()
  await running.close()
  log.flush()
  if (problem !== undefined) printError(`convsim exec: ${problem}`)
  return finish(running, settings, code)
}

/** Until it is let go of, the child hears what we are told, and goes where we go. */
function passSignals(child: Child): () => void {
  // A terminal tells everybody in front of it; a child that is told twice takes it for impatience. Who asks again is impatient.
  let told = process.stdin.isTTY === true
  const pass = (signal: NodeJS.Signals) => {
    if (signal === 'SIGTERM' || !told) child.kill(signal)
    told = false
  }
  const end = () => child.kill('SIGKILL')
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
  for (const signal of signals) process.on(signal, pass)
  process.once('exit', end)
  return () => {
    for (const signal of signals) process.off(signal, pass)
    process.off('exit', end)
  }
}

/** Says in short what the clients did, writes the report, and decides how we end. */
async function finish(running: RunningSimulator, settings: Settings, code: ExitCode): Promise<ExitCode> {
  const report = running.report()
  printError(`convsim: ${summaryOf(report)}.`)
  const failed = gatesOf(settings).flatMap((gate) => gate(report) ?? [])
  if (failed.length > 0) printError(`convsim: --fail-on: ${failed.join('; ')}.`)
  const problem = settings.report === undefined ? undefined : await writeReport(settings.report, report)
  if (problem !== undefined) printError(`convsim: ${problem}`)
  if (code !== 0) return code
  return failed.length > 0 ? 3 : Number(problem !== undefined)
}

function gatesOf({ failOn }: Settings): readonly FailCondition[] {
  return failOn === undefined ? [] : (parseGates(failOn) ?? [])
}

async function openLog({ logFormat, logLevel }: Settings): Promise<{ log: ProcessLog; pretty: boolean }> {
  const pretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true)
  const { createLog } = await import('./process-log.ts')
  const log = await createLog(logLevel, pretty, Date.now)
  process.once('exit', () => log.flush()) // the last lines before a crash are those that matter
  return { log, pretty }
}

/** A simulator that listens; undefined where it cannot, which it has said then. */
async function begin(settings: Settings, log: ProcessLog): Promise<RunningSimulator | undefined> {
  const problem = settings.report === undefined ? undefined : await problemOfReportFile(settings.report)
  if (problem !== undefined) {
    printError(`convsim cannot start:\n  ${problem}`)
    return undefined
  }
  const { start } = await import('../simulator/start.ts')
  const fatal = (problem: string): never => {
    log.error({ problem }, 'the process ends, since its state in memory is wrong')
    process.exit(1)
  }
  const started = await start(settings, { now: Date.now, log, fatal })
  log.flush() // what there is to warn of comes before whatever else is said
  if (started.ok) return started.value
  printError(`convsim cannot start:\n${started.error.map(line).join('\n')}`)
  return undefined
}

/** The one line on stdout that says we are ready: scripts wait for it. */
function announce({ origin, baseUrl }: RunningSimulator, pretty: boolean): void {
  const words = `convsim ${version} is listening on ${origin}`
  print(pretty ? `${words} (base URL ${baseUrl})` : JSON.stringify({ level: 'info', msg: words, baseUrl }))
}

/** Resolves on the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(log: ProcessLog): Promise<void> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      log.info({ signal }, 'stopping: finishing what is in flight')
      resolve()
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
}

// A function, not a constant: `main` runs before this line is reached.
function line({ severity, place, message }: Finding): string {
  return `  ${place}: ${severity}: ${message}`
}

async function checkFiles(files: readonly string[], settings: Settings): Promise<ExitCode> {
  const { check } = await import('./check.ts')
  const { loadInputs } = await import('../simulator/loaded-inputs.ts')
  // With everything else as the settings have it: a scenario that a fixture or a rule names must be there.
  const all = await check(files, (fixtures = settings.fixtures) => loadInputs({ ...settings, fixtures }))
  for (const { file, findings, summary } of all) {
    for (const finding of findings) print(line(finding))
    print(summary ? `${file}: ok, ${summary}` : `${file}: not fit to be served`)
  }
  return all.every(({ summary }) => summary) ? 0 : 1
}

async function listAssumptions(file: string): Promise<ExitCode> {
  const { loadContract } = await import('../contract/load.ts')
  const loaded = await loadContract(file)
  if (!loaded.ok) {
    printError(loaded.error.map(line).join('\n'))
    return 1
  }
  for (const { pointer, text } of loaded.value.assumptions) print(`${pointer || '/'}\n  ${text}`)
  return 0
}

/**
 * The settings of the server that is meant. In a container it is process 1, and `docker run convsim --port 5000` is known
 * to nobody but its own command line; arguments of ours go before it.
 */
function servedWith(own: Settings): Settings {
  const [, program = '', , ...given] = process.argv
  const server = given.length > 0 ? [] : commandOfProcess1()
  const at = server.indexOf(program)
  if (at < 0) return own
  const served = readSettings(server.slice(at + 1), process.env)
  return served.kind === 'run' ? served.settings : own
}

function commandOfProcess1(): string[] {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1)
  } catch {
    return [] // no Linux
  }
}

async function healthcheck({ host, port }: Settings): Promise<ExitCode> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/__sim/health`
  const answer = await askHealth(url)
  if (!answer.ok)
    printError(`convsim: no answer from ${url}: ${answer.problem}. Is it running, and is --port right?`)
  else print(answer.body)
  return answer.ok && answer.status === 200 ? 0 : 1
}

/** Help ends with the catalogue of the shipped contract, so that it names everything that can be switched on. */
async function help(text: string): Promise<void> {
  const { loadInputs } = await import('../simulator/loaded-inputs.ts')
  const { describeCatalogue } = await import('../scenarios/describe.ts')
  const sources = await loadInputs(defaultSettings())
  const scenarios = sources.ok
    ? describeCatalogue(sources.value.catalogue)
    : sources.error.map(line).join('\n')
  print(`${text.trimEnd()}\n\nScenarios (--scenario, X-Sim-Scenario):\n${scenarios}`)
}
