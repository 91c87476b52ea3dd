import { parseFailOn } from '../reports/parse-fail-on.ts'
import { isSuiteCondition, parseSuiteFailOn } from '../suites/parse-suite-fail-on.ts'
import type { CommandName } from './commands.ts'
import { eachSettings } from './each-settings.ts'
import type { Settings } from './settings.ts'

/** Returns true where the command of `exec` runs once for each fault. */
export function triesFaults({ each, only }: Pick<Settings, 'each' | 'only'>): boolean {
  return each !== undefined || only !== undefined
}

/** Finds a setting of `--each` or `--hunt` without it, or one that it cannot have; undefined: none. `flags`: the names of the settings that flags gave. */
export function findEachProblem(
  command: CommandName,
  settings: Settings,
  flags: readonly string[],
): string | undefined {
  const { hunt, jobs, port } = settings
  const isHunt = hunt !== undefined
  if (command !== 'exec' || (!isHunt && !triesFaults(settings))) return findUseless(settings, flags)
  const unfit = flags.find((name) => Object.hasOwn(refusals, name))
  if (unfit !== undefined) return `--${isHunt ? 'hunt' : 'each'} ${refusals[unfit as keyof typeof refusals]}`
  if (jobs > 1 && port !== 0) return '--jobs takes no --port: each of the runs side by side has a free port.'
  if (isHunt) return findHuntProblem(settings, flags)
  return flags.includes('huntFile') ? '--hunt-file needs --hunt.' : undefined
}

/** The settings that neither `--each` nor `--hunt` takes, and why. */
const refusals = {
  state: 'takes no --state: each run begins with a state of its own, in memory.',
  bundle: 'takes no --bundle: repeat what it has found with convsim exec --scenarios FILE --bundle FILE.',
}

/** Finds a setting that needs `--each` or `--hunt`. A variable may be for other commands, so only a flag without effect is refused. */
function findUseless({ failOn }: Settings, flags: readonly string[]): string | undefined {
  const flag = flags.find((name): name is keyof typeof eachSettings => Object.hasOwn(eachSettings, name))
  const needed = flag === 'huntFile' ? '--hunt' : '--each, --only or --hunt'
  if (flag !== undefined) return `--${eachSettings[flag].flag} needs ${needed}.`
  if (failOn === undefined || parseFailOn(failOn)) return undefined
  return `--fail-on ${failOn} has a condition that needs convsim exec --each.`
}

/** Finds a setting that `--hunt` cannot have; undefined: none. */
function findHuntProblem(settings: Settings, flags: readonly string[]): string | undefined {
  const { failOn = '', scenario, scenarios } = settings
  if (triesFaults(settings))
    return '--hunt takes no --each or --only: it tries each fault alone first, and then several. Run --each before it.'
  if (scenario !== undefined || scenarios !== undefined)
    return '--hunt takes no --scenario or --scenarios: it writes scenarios of its own.'
  if (flags.includes('sampleFirst')) return '--sample-first needs --each.'
  const own = (parseSuiteFailOn(failOn) ?? []).filter(isSuiteCondition)
  const wrong = own.find(({ kind, above }) => kind === 'unnoticed' || above > 0)
  if (!wrong) return undefined
  return wrong.kind === 'unnoticed'
    ? '--fail-on unnoticed needs --each: the answers of --hunt are right, so there is nothing to notice.'
    : `--fail-on ${wrong.kind}>${wrong.above} needs --each: a hunt ends with the first combination that breaks the command.`
}
