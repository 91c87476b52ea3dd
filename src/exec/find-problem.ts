import type { SettingSources } from '../config/command-syntax.ts'
import { flagOf } from '../config/setting.ts'
import { findStateProblem } from '../config/state-settings.ts'
import { parseFailOn } from '../reports/parse-fail-on.ts'
import { isSuiteCondition, parseSuiteFailOn } from './parse-suite-fail-on.ts'
import { type ExecSettings, eachSettings } from './settings.ts'

/** Returns true where the command of `exec` runs once for each fault. */
export function triesFaults({ each, only }: Pick<ExecSettings, 'each' | 'only'>): boolean {
  return each !== undefined || only !== undefined
}

/** Finds a setting of `exec` that another one does not allow; undefined: none. */
export function findExecProblem(settings: ExecSettings, sources: SettingSources): string | undefined {
  return findEachProblem(settings, sources) ?? findStateProblem(settings, sources)
}

/** Finds a setting of `--each`, `--only` or `--hunt` without it, or one that it cannot have; undefined: none. */
function findEachProblem(settings: ExecSettings, sources: SettingSources): string | undefined {
  const { hunt, only, jobs, port } = settings
  const flags = [...sources].filter(([, source]) => source.startsWith('--')).map(([name]) => name)
  if (hunt === undefined && !triesFaults(settings)) return findUseless(settings, flags, sources)
  const own = sources.get(hunt !== undefined ? 'hunt' : only !== undefined ? 'only' : 'each') ?? ''
  const unfit = flags.find((name): name is keyof typeof refusals => Object.hasOwn(refusals, name))
  if (unfit !== undefined) return `${own} ${refusals[unfit]}`
  if (jobs > 1 && port !== 0)
    return `${sources.get('jobs')} takes no ${sources.get('port')}: each of the runs side by side has a free port.`
  if (hunt !== undefined) return findHuntProblem(settings, sources)
  return findOnlyProblem(settings, sources)
}

/** The settings that neither `--each` nor `--hunt` takes, and why. */
const refusals = {
  state: 'takes no --state: each run begins with a state of its own, in memory.',
  bundle: 'takes no --bundle: repeat what it has found with convsim exec --scenarios FILE --bundle FILE.',
}

/** Finds a setting that needs `--each` or `--hunt`. A variable may be for other commands, so only a flag without effect is refused. */
function findUseless(
  { failOn }: ExecSettings,
  flags: readonly string[],
  sources: SettingSources,
): string | undefined {
  const name = flags.find((one) => Object.hasOwn(eachSettings, one))
  if (name !== undefined) return `${flagOf(name)} needs --each, --only or --hunt.`
  if (failOn === undefined || parseFailOn(failOn)) return undefined
  return `${sources.get('failOn')} ${failOn} has a condition that needs convsim exec --each.`
}

/** Finds a second run of `--only`, or `--each` beside it; undefined: none. */
function findOnlyProblem({ each, only }: ExecSettings, sources: SettingSources): string | undefined {
  if (only === undefined) return undefined
  if (each !== undefined)
    return `${sources.get('only')} takes no ${sources.get('each')}: it makes one run of all those that --each makes.`
  const isSeveral = only.split(',').filter((part) => part.includes('@')).length > 1
  return isSeveral
    ? `${sources.get('only')} takes one run, and cannot be given twice. Run convsim exec --only once for each.`
    : undefined
}

/** Finds a setting that `--hunt` cannot have; undefined: none. */
function findHuntProblem(settings: ExecSettings, sources: SettingSources): string | undefined {
  const nameOf = (...names: (keyof ExecSettings)[]) =>
    names.filter((name) => settings[name] !== undefined).map((name) => sources.get(name))[0]
  const own = nameOf('hunt')
  const other = nameOf('each', 'only')
  if (other !== undefined)
    return `${own} takes no ${other}: it tries each fault alone first, and then several. Run --each before it.`
  const scenario = nameOf('scenario', 'scenarios')
  if (scenario !== undefined) return `${own} takes no ${scenario}: it writes scenarios of its own.`
  return findHuntGateProblem(settings, sources)
}

/** Finds a condition of `--fail-on` that no hunt can meet; undefined: none. */
function findHuntGateProblem({ failOn = '' }: ExecSettings, sources: SettingSources): string | undefined {
  const own = (parseSuiteFailOn(failOn) ?? []).filter(isSuiteCondition)
  const wrong = own.find(({ kind, above }) => kind === 'unnoticed' || above > 0)
  if (!wrong) return undefined
  const source = sources.get('failOn')
  return wrong.kind === 'unnoticed'
    ? `${source} unnoticed needs --each: the answers of --hunt are right, so there is nothing to notice.`
    : `${source} ${wrong.kind}>${wrong.above} needs --each: a hunt ends with the first combination that breaks the command.`
}
