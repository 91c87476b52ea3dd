import { defaultsOf } from '../config/setting.ts'
import { defineCommand } from '../process/command.ts'
import { findExecProblem } from './find-problem.ts'
import { eachCommandSettings, execSettings, huntCommandSettings } from './settings.ts'

/** The parts of the command line that the three commands share. */
const shared = {
  operands: 'a command after "--"',
  runsCommand: true,
  purpose: 'Test a client',
  variables: ['CONVSIM_BASE_URL', 'CONVSIM_CONTROL_URL'],
} as const

export const execCommand = defineCommand({
  ...shared,
  name: 'exec',
  usage: '[options] -- COMMAND [arguments...]',
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
  usage: '[options] -- COMMAND [arguments...]',
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

/** The command `hunt`: `exec --hunt`. */
export const huntCommand = defineCommand<typeof huntCommandSettings>({
  ...shared,
  name: 'hunt',
  usage: '[options] -- COMMAND [arguments...]',
  summary: 'Run a test suite under combinations of faults until one breaks it',
  description:
    'Run a command under pairs and sequences of faults that pass and of answers that are right but extreme, ' +
    'until one breaks it; shrink that one, and write it as a file of rules. ' +
    'The command finds the base URL in CONVSIM_BASE_URL.',
  examples: ['hunt --time 10m --jobs 2 -- npm test', 'hunt --set reset,slow --fail-on hung -- npm test'],
  settings: huntCommandSettings,
  findProblem: ({ set: hunt, ...settings }, sources) =>
    findExecProblem({ ...defaultsOf(execSettings), ...settings, hunt }, sources),
  async run({ settings: { set: hunt, ...settings }, ...line }, context) {
    return execCommand.run({ ...line, settings: { ...defaultsOf(execSettings), ...settings, hunt } }, context)
  },
})
