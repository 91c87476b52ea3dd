import type { Invocation } from '../config/arguments.ts'
import type { CommandName } from '../config/commands.ts'
import { splitFiles } from '../config/document-settings.ts'
import type { Settings } from '../config/settings.ts'
import { formatFinding } from '../documents/finding.ts'
import { bundledContract } from '../fixtures/bundled.ts'
import { createCountProgress, findStderrTerminal } from '../process/count-progress.ts'
import type { StopSignals } from '../process/stop-signals.ts'

/** A command line that runs a command. */
export type Run = Extract<Invocation, { kind: 'run' }>

/** The commands that neither serve nor run another command: they read, print and end. */
export type ToolName = Exclude<CommandName, 'serve' | 'proxy' | 'exec' | 'healthcheck'>

/** Injected dependencies: the process, its clock, and its output, which takes a text without the last line feed. */
interface ToolDeps {
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  readonly host: Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'once' | 'off' | 'kill' | 'pid'> & {
    readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>
  }
  readonly signals: Pick<StopSignals, 'finish'>
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/** Runs a command that ends by itself, and returns its exit code. Each loads its own modules. */
export async function runTool(command: ToolName, invocation: Run, deps: ToolDeps): Promise<number> {
  const { files, settings } = invocation
  const { print, printError, host } = deps
  const terminal = findStderrTerminal(host.stderr)
  switch (command) {
    case 'check':
      return printChecks(files, settings, deps)
    case 'assumptions':
      return printAssumptions(files[0] ?? settings.contract ?? bundledContract, settings, deps)
    case 'scenarios':
      return (await import('./scenarios.ts')).printScenarios(files, settings, print, printError)
    case 'replay': {
      const { printReplay } = await import('../bundles/replay/command.ts')
      const { createSimulator } = await import('../simulator/simulator.ts')
      const { createTempFolder } = await import('../process/temp-folder.ts')
      const progress = createCountProgress(terminal, 'replay', deps.now)
      const createFolder = () => createTempFolder('replay', host)
      return printReplay(files[0] ?? '', settings, { ...deps, createSimulator, createFolder, progress })
    }
    case 'drift':
      return (await import('../drift/command/drift.ts')).printDrift(invocation, {
        ...deps,
        env: host.env,
        terminal,
      })
    case 'record': {
      const { createAsk, recordFixtures } = await import('../record/record.ts')
      const ask = createAsk(host)
      return recordFixtures(files, settings, { ...deps, ask, terminal })
    }
  }
}

async function printChecks(
  files: readonly string[],
  settings: Settings,
  { print }: ToolDeps,
): Promise<number> {
  const { checkFiles } = await import('./check.ts')
  const { formatChecks } = await import('./check-format.ts')
  const { loadInputs } = await import('../simulator/loaded-inputs.ts')
  // A folder of fixtures is loaded together with the contract of the settings, so that names of scenarios are checked, too.
  const all = await checkFiles(files, settings, (changes) => loadInputs({ ...settings, ...changes }))
  print(formatChecks(all, settings.format))
  return all.every(({ summary }) => summary) ? 0 : 1
}

async function printAssumptions(file: string, { overlay }: Settings, deps: ToolDeps): Promise<number> {
  const { loadContract } = await import('../contract/load.ts')
  const loaded = await loadContract(file, { overlays: splitFiles(overlay) })
  if (!loaded.ok) {
    deps.printError(loaded.error.map(formatFinding).join('\n'))
    return 1
  }
  for (const { pointer, text } of loaded.value.assumptions) deps.print(`${pointer || '/'}\n  ${text}`)
  return 0
}
