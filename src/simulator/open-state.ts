import type { Settings } from '../config/settings.ts'
import type { JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { failure, type Result } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import type { OpenedStore } from '../state/file/file-store.ts'
import { openStore } from '../state/open-store.ts'
import { showState } from '../state/redis/location.ts'
import { computeContractDigest } from './contract-digest.ts'

/** Opens the state that `--state` names, and logs what is missing from it. `fatal`: see `Dependencies`. */
export async function openState(
  { state, statePrefix, sandboxLimit, sync }: Settings,
  log: Log,
  fatal: ((problem: string) => never) | undefined,
): Promise<Result<OpenedStore, Findings>> {
  const opened = await openStore(state, {
    sync,
    prefix: statePrefix,
    sandboxLimit,
    report: (problem) => log.error({ problem }, 'the state cannot be written'),
    ...(fatal && { fatal }),
  })
  if (!opened.ok) return failure([{ severity: 'error', place: '--state', message: opened.error }])
  for (const warning of opened.value.loaded.warnings) log.warn({ file: showState(state) }, warning)
  return opened
}

/** Warns if the other replicas that share the state have another contract. */
export async function warnOfOtherContract(
  { shared }: OpenedStore,
  document: JsonObject,
  log: Log,
): Promise<void> {
  if (!shared || !(await shared.noteContract(computeContractDigest(document)))) return
  const problem =
    'The replica that started before this one has another contract, so the same request can get different answers. Start all replicas with the same one.'
  log.warn({ file: shared.shown }, problem)
}
