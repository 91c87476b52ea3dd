import { hostname } from 'node:os'
import { parseNow } from '../../base/core/instant.ts'
import type { JsonObject } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { errorAt, type Findings } from '../../base/documents/source.ts'
import { type ActiveRule, type RuleContext, readActiveRule } from '../../service/scenarios/rules.ts'
import type { OpenedStore } from '../../state/file/file-store.ts'
import { openStore } from '../../state/open-store.ts'
import { showState } from '../../state/redis/location.ts'
import { parseExport } from '../../state/sandbox-export.ts'
import type { SharedState } from '../../state/shared-state.ts'
import type { SandboxExport, Store } from '../../state/store.ts'
import { StreamFollower } from '../journal/follower.ts'
import { type EntryListener, Journal } from '../journal/journal.ts'
import { Sandboxes } from '../sandboxes/sandboxes.ts'
import { createClockSetting, SandboxSettingsStore } from '../sandboxes/settings.ts'
import { SharedRecords } from '../sandboxes/shared-settings.ts'
import type { Settings } from '../settings/settings.ts'

export async function openState(settings: Settings, log: Log): Promise<Result<OpenedStore, Findings>> {
  const { state, statePrefix, sync } = settings
  const opened = await openStore(state, {
    sync,
    prefix: statePrefix,
    warn: (problem) => log.warn({ file: showState(state) }, problem),
    report: (problem) => log.error({ problem }, 'the state cannot be written'),
  })
  if (!opened.ok) return failure([errorAt('--state', opened.error)])
  for (const warning of opened.value.loaded.warnings) log.warn({ file: showState(state) }, warning)
  return opened
}

/** Loads the initial state of the default sandbox, which a reset restores; undefined if `file` is undefined. */
export async function loadSeedState(file: string | undefined): Promise<Result<SandboxExport | undefined, Findings>> {
  if (file === undefined) return success(undefined)
  const source = await readSource(file)
  if (!source.ok) return failure(source.error.map((finding) => ({ ...finding, flag: '--seed-state' })))
  const parsed = await parseExport(source.value.value)
  return parsed.ok ? parsed : failure(parsed.error.map((message) => errorAt(file, message)))
}

/** Returns the settings. If the state is shared, they include a name for this replica, such as `3f2a91c0d1e2-1`. */
export function withReplica(settings: Settings, { shared }: OpenedStore): Settings {
  const name = `${hostname().replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`.slice(-64)
  return shared ? { ...settings, replica: settings.replica ?? name } : settings
}

/** The minimum size of the replicas' stream, in messages. Reports need the stream even if the journal size is 0. */
const minStreamSize = 1000

export function openJournal(
  { journalSize }: Settings,
  { log, onExchange }: { readonly log: Log; readonly onExchange?: EntryListener },
  shared: SharedState | undefined,
): Journal {
  const stream = shared?.openJournal(Math.max(minStreamSize, journalSize))
  const journal = stream ? new StreamFollower(journalSize, log, stream).journal : new Journal(journalSize)
  if (onExchange) journal.onOwnEntry(onExchange)
  return journal
}

interface SandboxParts {
  readonly now: () => number
  readonly log: Log
  readonly store: Store
  readonly shared: SharedState | undefined
  readonly journal: Journal
  readonly rules: () => RuleContext
}

/** Creates the registry with the sandboxes in the state or, if the state is shared, the most recently created ones. */
export async function createSandboxes(
  { seed, clock, sandboxLimit: limit }: Settings,
  { now, log, store, shared, journal, rules }: SandboxParts,
): Promise<Sandboxes> {
  const instant = clock === 'real' ? undefined : parseNow(clock)
  const initial = { seed, clock: createClockSetting(instant === undefined ? 'real' : 'frozen', instant ?? 0, 0), now }
  const records = shared && new SharedRecords(shared, createRuleParser(rules, log))
  const settings = new SandboxSettingsStore(initial, records)
  const onEvicted = (name: string, reason: 'limit' | 'idle') => {
    log.warn({ sandbox: name, reason }, 'a sandbox was evicted with all its data; see --sandbox-limit')
    const deletions = [settings.reset(name), journal.clear(name, true), store.deleteSandbox(name)]
    Promise.all(deletions).catch((error: unknown) =>
      log.error({ sandbox: name, err: error }, 'the data of an evicted sandbox could not be deleted'),
    )
  }
  // If the state is shared, an evicted sandbox is not deleted, since other replicas may be using it.
  const sandboxes = new Sandboxes(settings, { limit, now, onEvicted: shared ? () => {} : onEvicted })
  journal.onEntry(({ sandbox }, { isForeign }) => {
    if (isForeign) sandboxes.use(sandbox) // a sandbox that another replica uses is not idle
  })
  if (shared) for (const name of await shared.listNewestSandboxes(limit)) sandboxes.use(name)
  else sandboxes.adopt((await store.listSandboxes()).map(({ name }) => name))
  return sandboxes
}

/** Creates a parser for stored rules, which may come from another replica or predate a contract change. */
function createRuleParser(rules: () => RuleContext, log: Log) {
  return (source: JsonObject, key: string): ActiveRule => {
    const rule = readActiveRule(source, key, rules())
    if (rule.skipReason !== undefined)
      log.warn({ rule: source, problem: rule.skipReason }, 'a rule does not fit the contract and is skipped')
    return rule
  }
}
