import { defineCommand } from '../../command-line/process/command.ts'
import type { SettingSources } from '../../server/settings/setting.ts'
import { defaultSettings, findServerProblem } from '../../server/settings/settings.ts'
import { type EachSettings, eachSettings, execSettings } from './settings.ts'

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
  findProblem: findServerProblem,
  run: async (line, context) => (await import('./exec.ts')).exec(line, context),
})

export const eachCommand = defineCommand<typeof eachSettings>({
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
  settings: eachSettings,
  findProblem: (settings, sources) =>
    findEachProblem(settings, sources) ?? findServerProblem({ ...defaultSettings(), ...settings }, sources),
  run: async (line, context) => (await import('./each.ts')).each(line, context),
})

function findEachProblem({ only = '', jobs, port }: EachSettings, sources: SettingSources): string | undefined {
  if (jobs > 1 && port !== 0)
    return `--jobs takes no ${sources.get('port')}: each of the runs side by side has a free port.`
  if (only !== '' && sources.get('set')) return '--only takes no --set: it makes one run of all those that --set makes.'
  return only.split(',').filter((part) => part.includes('@')).length > 1
    ? '--only takes one run, and cannot be given twice. Run convsim each --only once for each.'
    : undefined
}
