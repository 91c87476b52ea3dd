import { defineCommand } from '../../command-line/process/command.ts'
import type { SettingSources } from '../../server/settings/setting.ts'
import { defaultSettings, findServerSettingsProblem } from '../../server/settings/settings.ts'
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
  summary: 'Run a test suite against a dedicated simulator',
  description:
    'Run a command against a dedicated simulator, which uses a free port and keeps its state in memory ' +
    'unless --port or --state is given. The command finds the base URL in CONVSIM_BASE_URL. ' +
    "Afterward, print a summary of the requests and exit with the command's exit code, or with 3 (see --fail-on).",
  examples: ['exec -- npm test', 'exec --env API_URL --report report.html --fail-on violation -- npm test'],
  settings: execSettings,
  findProblem: findServerSettingsProblem,
  run: async (line, context) => (await import('./exec.ts')).exec(line, context),
})

export const eachCommand = defineCommand<typeof eachSettings>({
  ...shared,
  name: 'each',
  summary: 'Run a test suite once per injected fault',
  description:
    'Run a command without faults and then with one fault at a time, each time against a new simulator, ' +
    'and report which faults the client survives and which ones the tests notice. ' +
    'The command finds the base URL in CONVSIM_BASE_URL.',
  examples: [
    'each --time 10m --fail-on not-resilient -- npm test',
    'each --set slow,reset --env API_URL -- npm test',
    'each --only resilience:reset@createEvent#2 -- npm test',
  ],
  settings: eachSettings,
  findProblem: (settings, sources) =>
    findEachProblem(settings, sources) ?? findServerSettingsProblem({ ...defaultSettings(), ...settings }, sources),
  run: async (line, context) => (await import('./each.ts')).each(line, context),
})

function findEachProblem({ only = '', jobs, port }: EachSettings, sources: SettingSources): string | undefined {
  if (jobs > 1 && port !== 0)
    return `--jobs cannot be combined with ${sources.get('port')}: parallel runs use free ports.`
  if (only !== '' && sources.get('set')) return '--only cannot be combined with --set: --only already names a fault.'
  return only.split(',').filter((part) => part.includes('@')).length > 1
    ? '--only names one run and cannot be specified twice. Repeat the command for each run.'
    : undefined
}
