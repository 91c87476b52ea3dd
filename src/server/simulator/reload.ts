import type { Log } from '../../base/core/log.ts'
import { reasonOf } from '../../base/core/result.ts'
import { errorAt, type Findings, formatFinding } from '../../base/documents/finding.ts'
import { activateRules, readActiveRule } from '../../service/scenarios/rules.ts'
import type { DocumentState } from '../control/deps.ts'
import type { Settings } from '../settings/settings.ts'
import type { PipelineState } from './explain.ts'
import { createGeneration, type Generation } from './generation.ts'
import { loadStartInputs } from './loaded-inputs.ts'
import type { WatchFiles } from './watch-files.ts'

/** The inputs that are served, which each reload replaces from the next request on. */
export interface ServedInputs {
  present: Generation
  /** The failure of the latest reload; undefined: it succeeded, or there was none. */
  failure: DocumentState['failure']
}

/** Logs the findings on a contract that is served. */
export function logFindings(findings: Findings, log: Log): void {
  for (const { severity, place, message } of findings) log[severity === 'info' ? 'info' : 'warn']({ place }, message)
}

interface ReloadDeps {
  readonly settings: Settings
  readonly state: PipelineState
  readonly served: ServedInputs
  /** Called once a generation is served: reports go on with its contract. */
  readonly adopt: () => void
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/**
 * Reloads the inputs whenever their files change, until `stopping`. An exception is a bug, which is logged, and a
 * failed reload like any other.
 */
export function reloadOnChange(watchFiles: WatchFiles, stopping: AbortSignal, deps: ReloadDeps): void {
  watchFiles(stopping, (files) =>
    reload(deps, files).catch((error: unknown) => {
      deps.state.log.error({ files, err: error }, 'a bug in the reload of files')
      const findings = [errorAt(files.join(', '), `cannot be loaded: ${reasonOf(error)}`)]
      deps.served.failure = { at: deps.now(), findings }
    }),
  )
}

/** Loads all inputs again, and serves them if none has an error. Otherwise what was loaded before stays. */
async function reload(deps: ReloadDeps, files: readonly string[]): Promise<void> {
  const { served, settings, state, adopt, now } = deps
  const { log, sandboxes, proxied } = state
  const at = now()
  const loaded = await loadStartInputs(settings, log, proxied)
  if (!loaded.ok) {
    const findings = loaded.error.map((finding) => formatFinding(finding).trim())
    const fields = { files, findings, tookMs: now() - at }
    log.warn(fields, 'not reloaded, since the files have errors; what was loaded before stays')
    served.failure = { at, findings: loaded.error }
    return
  }
  const number = served.present.number + 1
  // Rules that the present generation has, too, keep their counts.
  const startUp = activateRules(`start-up ${number}`, loaded.value.startUp, served.present.startUp)
  const generation = createGeneration(number, settings, { ...loaded.value, startUp }, state)
  const tookMs = now() - at
  const { catalogue, contract } = generation
  const misfits: { sandbox: string; rule: number; problem: string }[] = []
  // One step without an await, so that no request meets rules and scenarios of two generations.
  const changed = sandboxes.settings.changeRules((rules, sandbox) => {
    const refitted = rules.map(({ source, key }) => readActiveRule(source, key, { catalogue, contract }))
    for (const [index, { misfit }] of refitted.entries())
      if (misfit !== undefined) misfits.push({ sandbox, rule: index + 1, problem: misfit })
    return refitted
  })
  served.present = generation
  served.failure = undefined
  adopt()
  await changed
  const { length: operations } = contract.operations
  log.info({ files, generation: number, contract: generation.contractDigest(), operations, tookMs }, 'reloaded')
  logFindings(contract.warnings, log)
  for (const misfit of misfits)
    log.warn(misfit, 'a rule no longer fits the contract and is passed over; PUT /__sim/scenarios replaces it')
}
