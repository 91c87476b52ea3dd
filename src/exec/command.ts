import type { SettingSources } from '../config/command-syntax.ts'
import { defaultsOf, flagOf } from '../config/setting.ts'
import { findServerProblem } from '../config/settings.ts'
import { defineCommand } from '../process/command.ts'
import { parseFailOn } from '../reports/parse-fail-on.ts'
import { type ExecSettings, eachCommandSettings, eachSettings, execSettings } from './settings.ts'

/** The parts of the command line that both commands share. */
const shared = {
  usage: '[options] -- COMMAND [arguments...]',
  operands: 'a command after "--"',
  runsCommand: true,
  purpose: 'Test a client',
  variables: ['CONVSIM_BASE_URL', 'CONVSIM_CONTROL_URL'],
} as const

export const execCommand = defineCommand({
  ...shared,
  name: 'exec',
  summary: 'Run a test suite against a simulator of its own',
  description:
    'Run a command against a simulator of its own, which has a free port and its state in memory ' +
    'unless --port or --state is given. The command finds the base URL in CONVSIM_BASE_URL. ' +
    'Afterwards print a summary of its requests and exit with its exit code, or with 3 (--fail-on).',
  examples: ['exec -- npm test', 'exec --env API_URL --report report.html --fail-on violation -- npm test'],
  settings: execSettings,
  findProblem: findExecProblem,
  run: async (line, context) => (await import('./exec.ts')).exec(line, context),
})

/** The command `each`: `exec --each`. */
export const eachCommand = defineCommand<typeof eachCommandSettings>({
  ...shared,
  name: 'each',
  summary: 'Run a test suite once for each fault at each place',
  description:
    'Run a command once for each fault at each place where its requests go, each time against a simulator ' +
    'of its own, and report which faults the client survives and the tests notice. ' +
    'The command finds the base URL in CONVSIM_BASE_URL.',
  examples: [
    'each --time 10m --fail-on not-resilient -- npm test',
    'each --set slow,reset --env API_URL -- npm test',
    'each --only resilience:reset@createEvent#2 -- npm test',
  ],
  settings: eachCommandSettings,
  findProblem: ({ set, ...settings }, sources) => {
    const each = settings.only === undefined || sources.get('set') ? set : undefined
    return findExecProblem({ ...defaultsOf(execSettings), ...settings, each }, sources)?.replace(
      'no --each',
      'no --set',
    )
  },
  async run({ settings: { set, ...settings }, ...line }, context) {
    const each = settings.only === undefined ? set : undefined
    return execCommand.run({ ...line, settings: { ...defaultsOf(execSettings), ...settings, each } }, context)
  },
})

/** Finds a setting of `exec` that another one does not allow, if any. */
function findExecProblem(settings: ExecSettings, sources: SettingSources): string | undefined {
  const { each, only } = settings
  const isEach = each !== undefined || only !== undefined
  if (!isEach) return findUseless(settings, sources) ?? findServerProblem(settings, sources)
  return (
    findRunsProblem(settings, sources) ??
    findOnlyProblem(settings) ??
    findServerProblem({ ...settings, state: ':memory:' }, sources)
  )
}

/** Finds a setting that needs `--each` or `--only`, if any. */
function findUseless({ failOn }: ExecSettings, sources: SettingSources): string | undefined {
  const name = Object.keys(eachSettings).find((one) => sources.get(one))
  if (name !== undefined) return `${flagOf(name)} needs --each or --only.`
  return failOn === undefined || parseFailOn(failOn)
    ? undefined
    : `${sources.get('failOn')} ${failOn} has a condition that needs convsim exec --each.`
}

/** Finds a setting that many runs cannot have. A variable may be for other commands, so only a flag is refused. */
function findRunsProblem({ only, jobs, port, sync }: ExecSettings, sources: SettingSources): string | undefined {
  const own = only !== undefined ? '--only' : '--each'
  const names = ['state', 'statePrefix', 'replica', ...(sync ? ['sync'] : [])]
  const ofState = names.find((name) => sources.get(name) === flagOf(name))
  if (ofState) return `${own} takes no ${flagOf(ofState)}: each run begins with a state of its own, in memory.`
  if (sources.get('bundle') === '--bundle')
    return `${own} takes no --bundle: repeat what it has found with convsim exec --rules FILE --bundle FILE.`
  if (sources.get('allowNoRequests') === '--allow-no-requests')
    return `${own} takes no --allow-no-requests: without a request there is no place for a fault.`
  return jobs > 1 && port !== 0
    ? `--jobs takes no ${sources.get('port')}: each of the runs side by side has a free port.`
    : undefined
}

/** Finds a second run of `--only`, or `--each` beside it, if any. */
function findOnlyProblem({ each, only }: ExecSettings): string | undefined {
  if (only === undefined) return undefined
  if (each !== undefined) return '--only takes no --each: it makes one run of all those that --each makes.'
  return only.split(',').filter((part) => part.includes('@')).length > 1
    ? '--only takes one run, and cannot be given twice. Run convsim exec --only once for each.'
    : undefined
}
