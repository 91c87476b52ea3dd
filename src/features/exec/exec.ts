/** `features/exec/`: runs a test suite against a dedicated simulator, once (`exec`) or once per fault (`each`). */
import type { ChildProcess } from 'node:child_process'
import { type CommandContext, endSoon } from '../../command-line/process/command.ts'
import type { StopSignals } from '../../command-line/process/stop-signals.ts'
import { finish } from '../../command-line/serve/finish.ts'
import { startServer } from '../../command-line/serve/serve.ts'
import { runCommand, toCommandLine, trustCa } from './runs/run-command.ts'
import type { ExecLine } from './settings.ts'

export async function exec(line: ExecLine, { host, signals, now, openOutput }: CommandContext): Promise<number> {
  const output = await openOutput(line.settings)
  const { log, printLine } = output
  const running = await startServer(line, output, now, { isTemporary: true })
  if (!running) return 1
  let child: ChildProcess | undefined
  forwardSignals((signal) => child?.kill(signal), signals, host)
  const commandLine = toCommandLine(line, await trustCa(running, host.env), running)
  const { code, problem } = await runCommand(commandLine, { stdio: 'inherit' }, (started) => {
    child = started
  })
  const report = await running.closeWithReport()
  log.flush()
  if (problem !== undefined) printLine(`convsim exec: ${problem}`, 'error')
  const run = { settings: line.settings, code, command: line.args, printLine }
  return endSoon(host, await finish(running, report, run))
}

/** Forwards the first stop signal and each SIGUSR2 to the child, and kills the child when `host` exits. */
function forwardSignals(send: (signal: NodeJS.Signals) => void, signals: StopSignals, host: NodeJS.Process): void {
  // On Ctrl-C, the terminal sends SIGINT to the whole process group, so the child has already received it.
  signals.onStop((signal) => {
    if (signal === 'SIGTERM' || !host.stdin.isTTY) send(signal)
  })
  host.on('SIGUSR2', (signal) => send(signal))
  host.once('exit', () => send('SIGKILL'))
}
