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

/** Finds a setting that a state in Redis cannot have; undefined: none. */
function findStateProblem(
  { state, bundle }: Settings,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  if (bundle === undefined || !/^rediss?:/i.test(state)) return undefined
  return `${sources.get('bundle')} takes no state in Redis (${sources.get('state')}): no replica knows in which order the others changed it.`
}
