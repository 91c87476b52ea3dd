import type { Setting } from './setting.ts'
import { allSettings, type Settings } from './settings.ts'

/** The name of a command: `serve`. */
export type CommandName =
  | 'serve'
  | 'exec'
  | 'check'
  | 'replay'
  | 'scenarios'
  | 'assumptions'
  | 'drift'
  | 'healthcheck'
  | 'proxy'
  | 'record'

/** A command as help, documentation and the errors of the command line describe it. */
interface CommandDescription {
  /** Another name of the command. */
  readonly alias?: string
  /** The command's part of its usage line: `[files...] [options]`. */
  readonly usage: string
  /** The arguments besides flags, for a sentence; empty: none. */
  readonly operands: string
  readonly maxOperands: number
  readonly description: string
  /** The settings that the command reads; undefined: all except those of other commands. */
  readonly settings?: readonly (keyof Settings)[]
  /** Settings of a server that have no effect on the command. */
  readonly withoutSettings?: readonly (keyof Settings)[]
  /** True: the flags of `serve` that the command does not read are accepted, so that a script can pass those of its server. */
  readonly acceptsServerFlags?: boolean
  /** The descriptions in the command's help of settings that mean something else for it than for `serve`. */
  readonly settingDescriptions?: { readonly [Name in keyof Settings]?: string }
  /** The values that the command takes of a setting with more of them: `text` and `json` of the formats. */
  readonly settingValues?: { readonly [Name in keyof Settings]?: readonly Settings[Name][] }
  /** Command lines after `convsim`: `check my-contract.yaml`. */
  readonly examples: readonly string[]
}

/** The commands of the program, in the order of help. */
export const commands: Readonly<Record<CommandName, CommandDescription>> = {
  serve: {
    alias: 'mock',
    usage: '[contract] [options]',
    operands: 'a contract document',
    maxOperands: 1,
    description: 'Serve the simulated API; the default command, also called mock.',
    examples: ['serve', 'serve my-contract.yaml --port 0 --state :memory:'],
  },
  exec: {
    usage: '[options] -- COMMAND [arguments...]',
    operands: 'a command after "--"',
    maxOperands: 100_000,
    description:
      'Run a command against a simulator of its own, which has a free port and its state in memory unless --port or --state is given. The command finds the base URL in CONVSIM_BASE_URL. Afterwards print a summary of its requests and exit with its exit code, or with 3 (--fail-on). With --each, run it once for each fault; with --hunt, under combinations of faults until one breaks it.',
    examples: [
      'exec --each resilience,drift --time 10m --fail-on not-resilient -- npm test',
      'exec --hunt --time 10m --jobs 2 -- npm test',
      'exec --env API_URL --report report.html --fail-on violation -- npm test',
    ],
  },
  check: {
    usage: '[files...] [options]',
    operands: 'files or folders',
    maxOperands: 1000,
    description:
      'Check contract documents, overlays, fixture folders and scenario files; without any, check those of --contract and --fixtures, or the bundled ones. Exit code 1 if one has an error.',
    settings: ['contract', 'overlay', 'fixtures', 'scenario', 'scenarios', 'plan', 'format'],
    examples: [
      'check',
      'check my-contract.yaml rules.yaml --format github',
      'check our.overlay.yaml --contract my-contract.yaml',
    ],
  },
  replay: {
    usage: 'FILE [options]',
    operands: 'a bundle',
    maxOperands: 1,
    description:
      'Send the requests of a bundle (--bundle FILE, GET /__sim/bundle) to the same state again, and say where an answer differs. Exit code 0 if all answers are the same, 3 if one differs, 1 if one cannot be repeated or judged.',
    settings: ['contract', 'until', 'format'],
    settingDescriptions: {
      contract: 'An OpenAPI document in place of that of the run.',
      format: 'The form of the results: lines for people, or one JSON document.',
    },
    settingValues: { format: ['text', 'json'] },
    examples: ['replay bundle.json', 'replay bundle.json --until req-7 --format json'],
  },
  scenarios: {
    usage: '[name] [options]',
    operands: 'the name of a scenario',
    maxOperands: 1,
    description:
      'List all scenarios, or show one: its parameters, its effect on each operation, an example, and the keys and models that switch it on.',
    settings: ['contract', 'overlay', 'fixtures'],
    examples: ['scenarios', 'scenarios rate-limited', 'scenarios "slow;ms=200"'],
  },
  assumptions: {
    usage: '[contract] [options]',
    operands: 'a contract document',
    maxOperands: 1,
    description:
      'List every place where the contract fills a gap in the service description, with the reason.',
    settings: ['contract', 'overlay'],
    examples: ['assumptions', 'assumptions my-contract.yaml'],
  },
  drift: {
    usage: '[upstream] [options]',
    operands: 'the base URL of the real service',
    maxOperands: 1,
    description:
      'Compare the real service with the contract: fields, types, null, lists of values, formats, statuses and headers, never values. The token is in CONVSIM_UPSTREAM_TOKEN. Exit code 0 if they are the same, 3 if they differ, 1 if that could not be judged.',
    settings: [
      'contract',
      'overlay',
      'fixtures',
      'ids',
      'samples',
      'writes',
      'dryRun',
      'har',
      'journal',
      'patch',
      'timeout',
      'format',
    ],
    settingDescriptions: {
      timeout: 'The longest time to wait for an answer of the real service.',
      format:
        "The form of the findings: lines for people, one JSON document, GitHub's commands, or Markdown.",
    },
    examples: [
      'drift https://api.example.com/v1 --ids modelId=4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34',
      'drift https://api.example.com/v1 --dry-run',
      'drift --har traffic.har --patch real.overlay.yaml',
    ],
  },
  healthcheck: {
    usage: '[options]',
    operands: '',
    maxOperands: 0,
    description: 'Ask a running simulator for its health. Exit code 0 if it is ready, 1 if not.',
    settings: ['port', 'host', 'wait', 'timeout'],
    acceptsServerFlags: true,
    settingDescriptions: {
      port: 'Port of the running simulator.',
      host: 'Address of the running simulator; 0.0.0.0 and :: stand for this machine.',
    },
    examples: ['healthcheck', 'healthcheck --port 5000 --wait --timeout 1m'],
  },
  proxy: {
    usage: 'UPSTREAM [options]',
    operands: 'the URL of the real service',
    maxOperands: 1,
    description:
      "Pass requests on to the real service, check both directions against the contract, and record them. Scenarios act in front of the service. CONVSIM_UPSTREAM_TOKEN, if it is set, replaces the client's token.",
    // The real service knows keys, plans, models and records; the proxy stores none, and cannot bring the service back to an earlier state.
    withoutSettings: [
      'bundle',
      'state',
      'sync',
      'seedState',
      'plan',
      'maxAnalysesPerHour',
      'analysesWindow',
      'models',
      'xRateLimit',
    ],
    examples: [
      'proxy https://api.example.com/v1',
      'proxy https://api.example.com/v1 --report report.html --fail-on violation,unexpected',
    ],
  },
  record: {
    usage: 'SOURCE... [options]',
    operands: 'the URL of a running proxy or simulator, HAR files, and exports of GET /__sim/requests',
    maxOperands: 100,
    description:
      'Turn recorded traffic into a folder of fixtures: the exact answers by model. Credentials and what identifies people are redacted, and all is listed before it is written.',
    settings: ['contract', 'fixtures', 'controlToken', 'out', 'write'],
    examples: ['record http://127.0.0.1:4010 --out recorded --write', 'record traffic.har --out recorded'],
  },
}

const names = Object.keys(commands) as CommandName[] // the keys of the table

/** Returns the command that a word names, by its name or by its other name; undefined: none. */
export function findCommand(word: string): CommandName | undefined {
  return names.find((name) => name === word || commands[name].alias === word)
}

/** Returns the settings that a command reads, described as they are for it, in the table's order, by their name in `Settings`. */
export function settingsOf(command: CommandName): readonly (readonly [string, Setting<unknown>])[] {
  const read: readonly string[] | undefined = commands[command].settings
  const without: readonly string[] = commands[command].withoutSettings ?? []
  const own = new Map(Object.entries(commands[command].settingDescriptions ?? {}))
  const values = new Map(Object.entries(commands[command].settingValues ?? {}))
  return allSettings
    .filter(([name, setting]) =>
      read ? read.includes(name) : setting.command === undefined || setting.command === command,
    )
    .filter(([name]) => !without.includes(name))
    .map(([name, setting]) => [
      name,
      {
        ...setting,
        description: own.get(name) ?? setting.description,
        value: values.get(name)?.join('|') ?? setting.value,
      },
    ])
}
