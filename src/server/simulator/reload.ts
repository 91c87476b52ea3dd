import { stat } from 'node:fs/promises'
import type { Log } from '../../base/core/log.ts'
import { type Result, reasonOf } from '../../base/core/result.ts'
import { sleep } from '../../base/core/timers.ts'
import { errorAt, type Findings, formatFinding } from '../../base/documents/source.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { activateRules, readActiveRule } from '../../service/scenarios/rules.ts'
import type { ReloadFailure } from '../control/handler.ts'
import type { SandboxSettingsStore } from '../sandboxes/settings.ts'
import type { Generation } from './generation.ts'
import type { LoadedInputs } from './loaded-inputs.ts'

export function logWarnings({ file, warnings }: Contract, log: Log): void {
  const message = `the contract has ${warnings.length} findings; to list them, run "convsim check" with the same files`
  const listed = warnings.length > 5 ? [] : warnings
  if (listed !== warnings) log.warn({ contract: file }, message)
  for (const { severity, place, message } of listed) log[severity === 'info' ? 'info' : 'warn']({ place }, message)
}

export interface Served {
  current: Generation
  reloadFailure: ReloadFailure | undefined
}

interface ReloadDeps {
  readonly load: () => Promise<Result<LoadedInputs, Findings>>
  readonly createGeneration: (number: number, inputs: LoadedInputs) => Generation
  readonly log: Log
  readonly now: () => number
  readonly served: Served
  readonly sandboxSettings: SandboxSettingsStore
  /** Called when a new generation is served, so that reports use its contract. */
  readonly adopt: () => void
}

/** Reloads the inputs whenever their files change, until `stopping` is aborted. Exceptions count as failed reloads. */
export function reloadOnChange(watchFiles: WatchFiles, stopping: AbortSignal, deps: ReloadDeps): void {
  watchFiles(stopping, (files) =>
    reload(deps, files).catch((error: unknown) => {
      deps.log.error({ files, err: error }, 'the inputs were not reloaded because of a simulator bug')
      const findings = [errorAt(files.join(', '), `cannot be loaded: ${reasonOf(error)}`)]
      deps.served.reloadFailure = { at: deps.now(), findings }
    }),
  )
}

/** Reloads all inputs and serves them if none has an error. Otherwise, the previous inputs stay in use. */
async function reload(deps: ReloadDeps, files: readonly string[]): Promise<void> {
  const { log, now, served } = deps
  const at = now()
  const loaded = await deps.load()
  if (!loaded.ok) {
    const findings = loaded.error.map((finding) => formatFinding(finding).trim())
    const fields = { files, findings, tookMs: now() - at }
    log.warn(fields, 'the inputs have errors and were not reloaded; the previous version stays in use')
    served.reloadFailure = { at, findings: loaded.error }
    return
  }
  // Startup rules that are also in the current generation keep their counts.
  const number = served.current.generationNumber + 1
  const startupRules = activateRules(`startup ${number}`, loaded.value.startupRules, served.current.startupRules)
  const generation = deps.createGeneration(number, { ...loaded.value, startupRules })
  const { contract, contractDigest } = generation
  const tookMs = now() - at
  const skippedRules: { sandbox: string; rule: number; problem: string }[] = []
  // Nothing is awaited until the generation is replaced, so that no request gets a mix of two generations.
  const rulesUpdate = deps.sandboxSettings.changeRules((rules, sandbox) => {
    const reparsed = rules.map(({ source, key }) => readActiveRule(source, key, generation))
    for (const [index, { skipReason }] of reparsed.entries())
      if (skipReason !== undefined) skippedRules.push({ sandbox, rule: index + 1, problem: skipReason })
    return reparsed
  })
  served.current = generation
  served.reloadFailure = undefined
  deps.adopt()
  await rulesUpdate
  const { length: operations } = contract.operations
  log.info({ files, generation: number, contract: contractDigest(), operations, tookMs }, 'reloaded')
  logWarnings(contract, log)
  for (const skippedRule of skippedRules)
    log.warn(skippedRule, 'a rule no longer fits the contract and is skipped; PUT /__sim/scenarios replaces the rules')
}

const pollMs = 150

/** The number of polls after which a missing file counts as removed. Editors and deployments briefly remove files. */
const maxMissingPolls = 10

/** For each path, a string that changes whenever the file does, or undefined if the file does not exist. */
type Stamps = ReadonlyMap<string, string | undefined>

/** Calls `onChange` with the changed files and awaits it before the next poll. Stops when `stopping` is aborted. */
export type WatchFiles = (
  stopping: AbortSignal,
  onChange: (changed: readonly string[]) => Promise<void>,
) => Promise<void>

/**
 * Creates a watcher for the files that `listFiles` returns at each poll; added and removed files count as changes. It
 * polls timestamps, sizes and inodes, since `fs.watch` misses files replaced by editors, switched symlinks (Kubernetes
 * config maps), and most changes in folders that a container shares with its host. A poll of nine files takes 0.2 ms.
 */
export async function createFileWatcher(listFiles: () => readonly string[]): Promise<WatchFiles> {
  let known = await readStamps(listFiles())
  return async function watchFiles(stopping, onChange) {
    let seen = known
    let unchangedPolls = 0
    while (await waitForNextPoll(stopping)) {
      const current = await readStamps(listFiles())
      unchangedPolls = listChanged(seen, current).length === 0 ? unchangedPolls + 1 : 0
      seen = current
      const changed = listChanged(known, current)
      // A file that has just changed may still be incomplete.
      const requiredPolls = changed.every((file) => current.get(file)) ? 1 : maxMissingPolls
      if (changed.length === 0 || unchangedPolls < requiredPolls) continue
      known = current
      await onChange(changed)
    }
  }
}

/** Waits for the next poll. Returns false if `stopping` is aborted. The timer does not keep the process running. */
async function waitForNextPoll(stopping: AbortSignal): Promise<boolean> {
  await sleep(pollMs, undefined, { ref: false, signal: stopping }).catch(() => undefined)
  return !stopping.aborted
}

async function readStamps(files: readonly string[]): Promise<Stamps> {
  return new Map(await Promise.all(files.map(async (file) => [file, await readStamp(file)] as const)))
}

async function readStamp(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined)
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}

function listChanged(before: Stamps, after: Stamps): string[] {
  const files = new Set([...before.keys(), ...after.keys()])
  return [...files].filter((file) => before.get(file) !== after.get(file))
}
