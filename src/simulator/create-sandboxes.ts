import type { Settings } from '../config/settings.ts'
import { parseDuration, parseNow } from '../core/instant.ts'
import type { Log } from '../core/log.ts'
import type { Journal } from '../journal/journal.ts'
import { Sandboxes } from '../sandboxes/sandboxes.ts'
import { MemorySandboxSettings, type SandboxSettingsStore } from '../sandboxes/settings.ts'
import type { Store } from '../state/store.ts'

interface SandboxDeps {
  /** Returns epoch milliseconds. */
  readonly now: () => number
  readonly log: Log
  readonly store: Store
  readonly journal: Journal
}

/** Creates the registry of sandboxes. It begins with those of the state file, which are listed and evicted as all others. */
export async function createSandboxes(
  { seed, clock, sandboxLimit, sandboxIdle }: Settings,
  { now, store, journal, log }: SandboxDeps,
): Promise<Sandboxes> {
  const frozenAt = clock === 'real' ? undefined : parseNow(clock)
  const settings = new MemorySandboxSettings({ seed, frozenAt, now })
  const sandboxes = new Sandboxes(settings, {
    limit: sandboxLimit,
    idleMs: parseDuration(sandboxIdle) ?? Number.POSITIVE_INFINITY,
    now,
    onEvicted: onSandboxEvicted(settings, store, journal, log),
  })
  sandboxes.adopt((await store.listSandboxes()).map(({ name }) => name))
  return sandboxes
}

/** Deletes the settings, the state and the journal of an evicted sandbox. */
function onSandboxEvicted(settings: SandboxSettingsStore, store: Store, journal: Journal, log: Log) {
  return (name: string, reason: 'limit' | 'idle'): void => {
    log.warn(
      { sandbox: name, reason },
      'a sandbox is dropped with all that it held; see --sandbox-limit, --sandbox-idle',
    )
    const deletions = [settings.reset(name), journal.clear(name), store.deleteSandbox(name)]
    Promise.all(deletions).catch((error: unknown) =>
      log.error({ sandbox: name, err: error }, 'its state could not be dropped'),
    )
  }
}
