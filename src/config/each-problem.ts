import { parseFailOn } from '../reports/parse-fail-on.ts'
import type { CommandName } from './commands.ts'
import { eachSettings } from './each-settings.ts'
import type { Settings } from './settings.ts'

/** Returns true where the command of `exec` runs once for each fault. */
export function triesFaults({ each, only }: Pick<Settings, 'each' | 'only'>): boolean {
  return each !== undefined || only !== undefined
}

/** Finds a setting of `--each` without it, or one that it cannot have; undefined: none. `flags`: the names of the settings that flags gave. */
export function findEachProblem(
  command: CommandName,
  settings: Settings,
  flags: readonly string[],
): string | undefined {
  const { failOn, jobs, port } = settings
  if (command !== 'exec' || !triesFaults(settings)) {
    // A variable may be for other commands, so only a flag without effect is refused.
    const flag = flags.find((name) => Object.hasOwn(eachSettings, name))
    if (flag !== undefined)
      return `--${eachSettings[flag as keyof typeof eachSettings].flag} needs --each or --only.`
    if (failOn === undefined || parseFailOn(failOn)) return undefined
    return `--fail-on ${failOn} has a condition that needs convsim exec --each.`
  }
  if (flags.includes('state'))
    return '--each takes no --state: each run begins with a state of its own, in memory.'
  if (flags.includes('bundle'))
    return '--each takes no --bundle: repeat one fault with convsim exec --scenario FAULT --bundle FILE.'
  if (jobs > 1 && port !== 0) return '--jobs takes no --port: each of the runs side by side has a free port.'
  return undefined
}
