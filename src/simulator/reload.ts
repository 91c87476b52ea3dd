import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/log.ts'
import type { Result } from '../core/result.ts'
import { type Findings, formatFinding } from '../documents/finding.ts'
import type { SandboxSettingsStore } from '../sandboxes/settings.ts'
import { refitRules } from '../scenarios/refit-rules.ts'
import type { PipelineState } from './explain.ts'
import { type Generation, loadGeneration } from './generation.ts'
import type { ServedInputs } from './served-inputs.ts'
import type { FileWatcher } from './watch-files.ts'

/** The dependencies of a reload. */
interface ReloadDeps {
  readonly served: ServedInputs
  /** Loads all inputs again, as a generation of a number. */
  readonly load: (number: number) => Promise<Result<Generation, Findings>>
  /** Goes on with the reports over the generation that is served. */
  readonly adopt: () => void
  readonly settings: SandboxSettingsStore
  readonly log: Log
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/** Logs the findings on a contract that is served. */
export function logFindings(findings: Findings, log: Log): void {
  for (const { severity, place, message } of findings)
    log[severity === 'info' ? 'info' : 'warn']({ place }, message)
}

/** The parts of a simulator that reloads its inputs. */
interface WatchDeps {
  readonly settings: Settings
  readonly state: PipelineState
  readonly served: ServedInputs
  readonly adopt: () => void
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/** Reloads the inputs whenever their files change, until `stopping`. */
export function reloadOnChange(watcher: FileWatcher, stopping: AbortSignal, deps: WatchDeps): void {
  const { settings, state, served } = deps
  const { sandboxes, log } = state
  const load = (number: number) => loadGeneration(number, settings, state, served.present.startUp)
  watcher.run(stopping, (files) => reload({ ...deps, load, settings: sandboxes.settings, log }, files))
}

/** Reloads all inputs as `reloadOrReport` does. An exception is a bug: it is logged, and the next change is reloaded all the same. */
async function reload(deps: ReloadDeps, files: readonly string[]): Promise<void> {
  try {
    await reloadOrReport(deps, files)
  } catch (error) {
    deps.log.error({ files, err: error }, 'a bug in the reload of files')
  }
}

/**
 * Loads all inputs again, since some files have changed, and serves them if none has an error. Otherwise what was loaded before stays, and the
 * findings are logged.
 */
async function reloadOrReport(deps: ReloadDeps, files: readonly string[]): Promise<void> {
  const { served, load, settings, log, now } = deps
  const at = now()
  const loaded = await load(served.present.number + 1)
  const tookMs = now() - at
  if (!loaded.ok) {
    const findings = loaded.error.map((finding) => formatFinding(finding).trim())
    log.warn(
      { files, findings, tookMs },
      'not reloaded, since the files have errors; what was loaded before stays',
    )
    served.fail({ at, findings: loaded.error })
    return
  }
  const generation = loaded.value
  const { catalogue, contract, number } = generation
  const misfits: { sandbox: string; rule: number; problem: string }[] = []
  // One step without an await, so that no request meets rules and scenarios of two generations.
  const changed = settings.changeRules((rules, sandbox) => {
    const refitted = refitRules(rules, { catalogue, contract })
    for (const [index, { misfit }] of refitted.entries())
      if (misfit !== undefined) misfits.push({ sandbox, rule: index + 1, problem: misfit })
    return refitted
  })
  served.replace(generation)
  deps.adopt()
  await changed
  const { length: operations } = contract.operations
  log.info(
    { files, generation: number, contract: generation.contractDigest(), operations, tookMs },
    'reloaded',
  )
  logFindings(contract.warnings, log)
  for (const misfit of misfits)
    log.warn(
      misfit,
      'a rule no longer fits the contract and is passed over; PUT /__sim/scenarios replaces it',
    )
}
