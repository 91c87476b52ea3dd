import { splitFiles } from '../config/setting.ts'
import type { Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import type { DocumentState } from '../control/deps.ts'
import { createLiveView } from '../core/live-view.ts'
import type { Log } from '../core/log.ts'
import { type Findings, formatFinding } from '../documents/finding.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Catalogue } from '../scenarios/definition.ts'
import { readActiveRule } from '../scenarios/rules.ts'
import type { PipelineState } from './explain.ts'
import { type Generation, loadGeneration } from './generation.ts'
import type { FileWatcher } from './watch-files.ts'

/** The generation that is served, and views of its parts for those that outlive it. */
export class ServedInputs {
  #present: Generation
  #failure: DocumentState['failure']
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue

  constructor(first: Generation) {
    this.#present = first
    this.contract = createLiveView(() => this.#present.contract)
    this.fixtures = createLiveView(() => this.#present.fixtures)
    this.catalogue = createLiveView(() => this.#present.catalogue)
  }

  get present(): Generation {
    return this.#present
  }

  /** Serves a generation from the next request on. */
  replace(next: Generation): void {
    this.#present = next
    this.#failure = undefined
  }

  /** Stores why the latest reload failed. */
  fail(failure: DocumentState['failure']): void {
    this.#failure = failure
  }

  /** Describes the documents for the control plane. */
  describe({ overlay, watch }: Settings): DocumentState {
    return {
      digest: this.#present.contractDigest(),
      generation: this.#present.number,
      overlays: splitFiles(overlay),
      isWatched: watch,
      failure: this.#failure,
    }
  }
}

/** Logs the findings on a contract that is served. */
export function logFindings(findings: Findings, log: Log): void {
  for (const { severity, place, message } of findings) log[severity === 'info' ? 'info' : 'warn']({ place }, message)
}

interface ReloadDeps {
  readonly settings: Settings
  readonly state: PipelineState
  readonly served: ServedInputs
  /** Is called once a generation is served. */
  readonly onReload: () => void
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/** Reloads the inputs whenever their files change, until `stopping`. An exception is a bug, and is logged. */
export function reloadOnChange(watcher: FileWatcher, stopping: AbortSignal, deps: ReloadDeps): void {
  watcher.run(stopping, (files) =>
    reload(deps, files).catch((error: unknown) =>
      deps.state.log.error({ files, err: error }, 'a bug in the reload of files'),
    ),
  )
}

/** Loads all inputs again, and serves them if none has an error. Otherwise what was loaded before stays. */
async function reload(deps: ReloadDeps, files: readonly string[]): Promise<void> {
  const { served, settings, state, onReload, now } = deps
  const { log, sandboxes } = state
  const at = now()
  const loaded = await loadGeneration(served.present.number + 1, settings, state, served.present.startUp)
  const tookMs = now() - at
  if (!loaded.ok) {
    const findings = loaded.error.map((finding) => formatFinding(finding).trim())
    log.warn({ files, findings, tookMs }, 'not reloaded, since the files have errors; what was loaded before stays')
    served.fail({ at, findings: loaded.error })
    return
  }
  const generation = loaded.value
  const { catalogue, contract, number } = generation
  const misfits: { sandbox: string; rule: number; problem: string }[] = []
  // One step without an await, so that no request meets rules and scenarios of two generations.
  const changed = sandboxes.settings.changeRules((rules, sandbox) => {
    const refitted = rules.map(({ source, key }) => readActiveRule(source, key, { catalogue, contract }))
    for (const [index, { misfit }] of refitted.entries())
      if (misfit !== undefined) misfits.push({ sandbox, rule: index + 1, problem: misfit })
    return refitted
  })
  served.replace(generation)
  onReload()
  await changed
  const { length: operations } = contract.operations
  log.info({ files, generation: number, contract: generation.contractDigest(), operations, tookMs }, 'reloaded')
  logFindings(contract.warnings, log)
  for (const misfit of misfits)
    log.warn(misfit, 'a rule no longer fits the contract and is passed over; PUT /__sim/scenarios replaces it')
}
