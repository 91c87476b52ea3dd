import { parseNow } from '../../base/core/instant.ts'
import type { JsonObject } from '../../base/core/json.ts'
import { type ActiveRule, type RuleContext, readActiveRule } from '../../service/scenarios/rules.ts'
import type { SharedState } from '../../state/shared-state.ts'
import { Sandboxes } from '../sandboxes/sandboxes.ts'
import { SandboxSettingsStore, setClock } from '../sandboxes/settings.ts'
import { SharedRecords } from '../sandboxes/shared-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { PipelineState } from './explain.ts'

interface SandboxDeps extends Pick<PipelineState, 'store' | 'journal' | 'log'> {
  readonly now: () => number
  readonly shared: SharedState | undefined
  readonly rules: () => RuleContext
}

/** Creates the registry of sandboxes, which begins with those of the state; of a shared state, the newest. */
export async function createSandboxes({ seed, clock, sandboxLimit }: Settings, deps: SandboxDeps): Promise<Sandboxes> {
  const { now, store, shared, journal } = deps
  const instant = clock === 'real' ? undefined : parseNow(clock)
  const initial = { seed, clock: setClock(instant === undefined ? 'real' : 'frozen', instant ?? 0, 0), now }
  const settings = new SandboxSettingsStore(initial, shared && new SharedRecords(shared, createRuleParser(deps)))
  const sandboxes = new Sandboxes(settings, {
    limit: sandboxLimit,
    now,
    onEvicted: shared ? () => {} : onSandboxEvicted(settings, deps), // all of it is in the shared state
  })
  journal.onEntry(({ sandbox }, { isForeign }) => {
    if (isForeign) sandboxes.use(sandbox) // a sandbox that another replica uses is in use here, too
  })
  if (shared) for (const name of await shared.listSandboxes(sandboxLimit)) sandboxes.use(name)
  else sandboxes.adopt((await store.listSandboxes()).map(({ name }) => name))
  return sandboxes
}

/** Creates the parser of stored rules, which may be of another replica or of an earlier contract. */
function createRuleParser({ rules, log }: SandboxDeps) {
  return (source: JsonObject, key: string): ActiveRule => {
    const rule = readActiveRule(source, key, rules())
    if (rule.misfit !== undefined)
      log.warn({ rule: source, problem: rule.misfit }, 'a rule does not fit the contract and is passed over')
    return rule
  }
}

/** Deletes the settings, the state and the journal of an evicted sandbox. */
function onSandboxEvicted(settings: SandboxSettingsStore, { store, journal, log }: SandboxDeps) {
  return (name: string, reason: 'limit' | 'idle'): void => {
    log.warn({ sandbox: name, reason }, 'a sandbox is dropped with all that it held; see --sandbox-limit')
    const deletions = [settings.reset(name), journal.clear(name, true), store.deleteSandbox(name)]
    Promise.all(deletions).catch((error: unknown) =>
      log.error({ sandbox: name, err: error }, 'its state could not be dropped'),
    )
  }
}
