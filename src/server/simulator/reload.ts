import type { Log } from '../../base/core/log.ts'
import { reasonOf } from '../../base/core/result.ts'
import { errorAt, type Findings, formatFinding } from '../../base/documents/finding.ts'
import { activateRules, readActiveRule } from '../../service/scenarios/rules.ts'
import type { SandboxSettingsStore } from '../sandboxes/settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { ProxiedService } from './explain.ts'
import { createGeneration, type ServedGeneration } from './generation.ts'
import { loadStartInputs } from './loaded-inputs.ts'
import type { WatchFiles } from './watch-files.ts'

export function logFindings(findings: Findings, log: Log): void {
  for (const { severity, place, message } of findings) log[severity === 'info' ? 'info' : 'warn']({ place }, message)
}

interface ReloadDeps {
  readonly settings: Settings
  readonly proxied: ProxiedService | undefined
  readonly log: Log
  /** Returns epoch milliseconds. */
  readonly now: () => number
  readonly served: ServedGeneration
  readonly sandboxSettings: SandboxSettingsStore
  /** Called once a generation is served: reports go on with its contract. */
  readonly adopt: () => void
}

/**
 * Reloads the inputs whenever their files change, until `stopping`. An exception is a bug, which is logged, and a
 * failed reload like any other.
 */
export function reloadOnChange(watchFiles: WatchFiles, stopping: AbortSignal, deps: ReloadDeps): void {
  watchFiles(stopping, (files) =>
    reload(deps, files).catch((error: unknown) => {
      deps.log.error({ files, err: error }, 'a bug in the reload of files')
      const findings = [errorAt(files.join(', '), `cannot be loaded: ${reasonOf(error)}`)]
      deps.served.reloadFailure = { at: deps.now(), findings }
    }),
  )
}

/** Loads all inputs again, and serves them if none has an error. Otherwise what was loaded before stays. */
async function reload(deps: ReloadDeps, files: readonly string[]): Promise<void> {
  const { settings, log, now, served } = deps
  const at = now()
  const loaded = await loadStartInputs(settings, log, deps.proxied)
  if (!loaded.ok) {
    const findings = loaded.error.map((finding) => formatFinding(finding).trim())
    const fields = { files, findings, tookMs: now() - at }
    log.warn(fields, 'not reloaded, since the files have errors; what was loaded before stays')
    served.reloadFailure = { at, findings: loaded.error }
    return
  }
  // Rules that the present generation has, too, keep their counts.
  const number = served.present.number + 1
  const startUp = activateRules(`start-up ${number}`, loaded.value.startUp, served.present.startUp)
  const generation = createGeneration(number, settings, { ...loaded.value, startUp })
  const { contract, contractDigest } = generation
  const tookMs = now() - at
  const misfits: { sandbox: string; rule: number; problem: string }[] = []
  // One step without an await, so that no request meets rules and scenarios of two generations.
  const changed = deps.sandboxSettings.changeRules((rules, sandbox) => {
    const refitted = rules.map(({ source, key }) => readActiveRule(source, key, generation))
    for (const [index, { misfit }] of refitted.entries())
      if (misfit !== undefined) misfits.push({ sandbox, rule: index + 1, problem: misfit })
    return refitted
  })
  served.replace(generation)
  deps.adopt()
  await changed
  const { length: operations } = contract.operations
  log.info({ files, generation: number, contract: contractDigest(), operations, tookMs }, 'reloaded')
  logFindings(contract.warnings, log)
  for (const misfit of misfits)
    log.warn(misfit, 'a rule no longer fits the contract and is passed over; PUT /__sim/scenarios replaces it')
}
