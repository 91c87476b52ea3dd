import type { CommandName } from './commands.ts'
import { findEachProblem } from './each-problem.ts'
import type { Settings } from './settings.ts'

/** Finds a setting that the command, or another setting, does not allow; undefined: none. `sources`: the flag or variable of each setting. */
export function findUnfitSetting(
  command: CommandName,
  settings: Settings,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  return findEachProblem(command, settings, sources) ?? findStateProblem(settings, sources)
}

/** Finds a setting that a state in Redis cannot have, or that has no effect without one; undefined: none. */
function findStateProblem(
  { state, bundle, sync }: Settings,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  const prefix = sources.get('statePrefix') ?? ''
  if (!/^rediss?:/i.test(state)) {
    // A variable may be for other commands, so only a flag without effect is refused.
    return prefix.startsWith('--')
      ? `${prefix} needs a state in Redis: --state redis://HOST:PORT/DATABASE.`
      : undefined
  }
  if (sync)
    return `${sources.get('sync')} takes no state in Redis (${sources.get('state')}): Redis decides when a change is on its disk. Set its appendfsync to always.`
  if (bundle === undefined) return undefined
  return `${sources.get('bundle')} takes no state in Redis (${sources.get('state')}): no replica knows in which order the others changed it.`
}
