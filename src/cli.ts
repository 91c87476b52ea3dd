#!/usr/bin/env node
/**
 * Runs a command, handles signals, and sets the exit code.
 *
 * `features/commands.ts` lists the commands. They write output to stdout; problems and the log go to stderr.
 */
import { writeSync } from 'node:fs'
import { once } from './base/core/memoize.ts'
import { reasonOf } from './base/core/result.ts'
import { parseCommandLine } from './command-line/parser/parse.ts'
import { type CommandContext, createOutput, type LogSettings, type Output } from './command-line/process/command.ts'
import { StopSignals } from './command-line/process/stop-signals.ts'
import { commands } from './features/commands.ts'
import { findFileConflict } from './server/settings/file-conflicts.ts'
import { version } from './service/fixtures/bundled.ts'

/**
 * The exit code of the process. 0: success. 1: an invalid setting or file, an unavailable port, lost state, an
 * incomplete report, or another failure. 3: a `--fail-on` condition is met, or `drift` found differences. 128 + n:
 * signal n ended the process. `exec` and `each` can also return the exit code of the command that they run.
 */
type ExitCode = number

// If stdout closes (EPIPE, as with `convsim | head -1`), the process continues. Any other error on stdout makes a
// successful run exit with 1. No stream is accessed before it is needed: on access, Node makes a pipe non-blocking for
// every process that shares it, such as the command that `exec` runs, whose writes to a full pipe would fail (EAGAIN).
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
// When Node has nothing left to do, it restores the default signal handling about 10 ms before the process ends. In 29
// of 30 runs, a second signal in that time killed the process, so its exit code was lost. `process.exit` avoids this.
process.once('beforeExit', (code) => process.exit(code))

async function openOutput(settings: LogSettings): Promise<Output> {
  const output = await createOutput(settings, process.stderr, printError, writeStderr, Date.now)
  process.once('exit', () => output.log.flush()) // after a crash, the last lines can explain it
  printNotice = (text) => output.printLine(text, 'error')
  return output
}

const commandContext: CommandContext = {
  host: process,
  print,
  printError,
  signals,
  now: Date.now,
  elapsed: () => performance.now(),
  parse: (words) => parseCommandLine(commands, words, process.env),
  openOutput,
}

function fail(problem: string): ExitCode {
  printError(`convsim: ${problem}`)
  return 1
}

async function main(): Promise<ExitCode> {
  const invocation = commandContext.parse(process.argv.slice(2))
  switch (invocation.kind) {
    case 'run': {
      try {
        process.cwd() // throws if the working directory, which Node needs to resolve paths, is missing
      } catch (error) {
        return fail(`The working directory cannot be used (${reasonOf(error)}). Change to a folder that exists.`)
      }
      const conflict = findFileConflict(invocation.command, invocation)
      return conflict === undefined ? invocation.command.run(invocation, commandContext) : fail(conflict)
    }
    case 'problem':
      return fail(invocation.problem)
    case 'help':
      print(invocation.text)
      return 0
    case 'version':
      print(version)
      return 0
  }
}

// Top-level await is not possible, since the bundle is a CommonJS script (client/testing/load-bundle.ts).
main().then((code) => {
  process.exitCode = code === 0 && isOutputLost ? 1 : code
})
