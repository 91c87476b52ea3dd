import { parseSize } from '../core/byte-size.ts'
import { parseDuration, parseNow } from '../core/instant.ts'
import { isSeed } from '../core/seeded.ts'
import { evidenceSettings } from './evidence-settings.ts'
import { boolean, choice, integer, type Setting, text } from './setting.ts'

const isClock = (text: string) => text === 'real' || parseNow(text) !== undefined
const isStateFile = (text: string) => text !== '' && !/^[a-z]+:\/\//i.test(text)
const isDuration = (text: string) => parseDuration(text) !== undefined
const isSize = (text: string) => parseSize(text) !== undefined

const level = ['info', 'warn', 'error', 'silent'] as const

/** Every setting, once. The parser, `--help` and the README's table come from here. Flag > environment > default. */
export const settingTable = {
  port: integer({
    flag: 'port',
    short: 'p',
    alsoEnv: 'PORT',
    default: 4010,
    min: 0,
    max: 65_535,
    description: 'Port to listen on; 0 is any free one.',
  }),
  host: text({
    flag: 'host',
    short: 'h',
    alsoEnv: 'HOST',
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'Address to listen on.',
  }),
  contract: text({
    flag: 'contract',
    value: 'FILE',
    default: undefined,
    defaultText: 'the shipped one',
    description: 'The OpenAPI 3.1 document of the service.',
  }),
  fixtures: text({
    flag: 'fixtures',
    value: 'FOLDER',
    default: undefined,
    defaultText: 'the shipped ones',
    description: 'Folder of fixtures: keys, plans, models, products, personas, phrases.',
  }),
  state: text({
    flag: 'state',
    value: 'FILE',
    default: './.convsim/state.json',
    test: isStateFile,
    expected: 'a file, or ":memory:" (a shared store such as redis:// cannot be used yet)',
    description: 'Where prompts and events are kept; ":memory:" keeps them until the process ends.',
  }),
  seedState: text({
    flag: 'seed-state',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description:
      'An export (GET /__sim/export) that the default sandbox starts with, and goes back to on a reset.',
  }),
  seed: text({
    flag: 'seed',
    default: '1',
    test: isSeed,
    expected: '1 to 64 visible ASCII characters',
    description: 'The invented world: another seed, other figures.',
  }),
  clock: text({
    flag: 'clock',
    value: 'real|INSTANT',
    default: 'real',
    test: isClock,
    expected: '"real" or an instant',
    description: 'The time; an instant such as 2026-01-15T12:00:00Z freezes it.',
  }),
  scenario: text({
    flag: 'scenario',
    value: 'NAME[;PARAM=VALUE]',
    default: undefined,
    defaultText: 'none',
    description: 'Switched on for every request, e.g. "rate-limited;retry-after=3".',
  }),
  scenarios: text({
    flag: 'scenarios',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description: 'A file of rules that are switched on for every request (spec/scenarios.schema.json).',
  }),
  plan: text({
    flag: 'plan',
    value: 'NAME',
    default: 'growth',
    description: 'Plan of keys that no fixture lists.',
  }),
  maxAnalysesPerHour: integer({
    flag: 'max-analyses-per-hour',
    default: undefined,
    defaultText: "the plan's",
    min: 1,
    max: 1_000_000_000,
    description: 'Analytics requests an hour and key; the next one is a 429.',
  }),
  models: choice({
    flag: 'models',
    of: ['open', 'closed'],
    default: 'open',
    description: "Which models exist: open, any UUID; closed, only the fixtures'.",
  }),
  strict: boolean({
    flag: 'strict',
    default: false,
    description: 'Advice (a value that does not fit its valueType) becomes a refusal.',
  }),
  controlToken: text({
    flag: 'control-token',
    default: undefined,
    defaultText: 'none',
    description: 'Bearer token that the control plane asks for.',
  }),
  controlOpen: boolean({
    flag: 'control-open',
    default: false,
    description: 'Let the control plane go without a token although it listens beyond this machine.',
  }),
  controlHosts: text({
    flag: 'control-hosts',
    value: 'NAME,...',
    default: undefined,
    defaultText: 'none',
    description:
      'Host names under which the control plane may be called, besides IP addresses and names that are never public.',
  }),
  sandboxLimit: integer({
    flag: 'sandbox-limit',
    default: 1000,
    min: 1,
    max: 1_000_000,
    description: 'Most sandboxes at a time; for one more, the one that is idle for longest goes.',
  }),
  sandboxIdle: text({
    flag: 'sandbox-idle',
    value: 'DURATION',
    default: '1d',
    test: isDuration,
    expected: 'a duration such as 90s, 15m, 1h or 7d',
    description: 'A sandbox that nobody has used for so long goes when another one comes.',
  }),
  bodyLimit: text({
    flag: 'body-limit',
    value: 'SIZE',
    default: '1mb',
    test: isSize,
    expected: 'a size of at least one byte, such as 500kb or 1mb',
    description: 'Largest request body.',
  }),
  journalSize: integer({
    flag: 'journal-size',
    default: 10_000,
    min: 0,
    max: 1_000_000,
    description:
      'Most exchanges that the journal keeps; for one more, the oldest goes. Fewer where they take more than 2 kB each, bodies not counted.',
  }),
  cacheSize: integer({
    flag: 'cache-size',
    default: 100,
    min: 0,
    max: 100_000,
    description:
      'Most analytics answers that are remembered as long as nothing can have changed them, some 50 kB each; the least recently used go.',
  }),
  cors: boolean({
    flag: 'cors',
    default: true,
    description: 'Browsers may call the API from any page; never the controls under /__sim.',
  }),
  simHeaders: boolean({
    flag: 'sim-headers',
    default: true,
    description: 'Our informative response headers (X-Request-Id, X-Sim-...).',
  }),
  logLevel: choice({
    flag: 'log-level',
    of: level,
    default: 'info',
    description: 'How much is logged, on stderr.',
  }),
  logFormat: choice({
    flag: 'log-format',
    of: ['auto', 'pretty', 'json'],
    default: 'auto',
    defaultText: 'pretty on a terminal, json elsewhere',
    description: 'How it is logged.',
  }),
  logBodies: boolean({
    flag: 'log-bodies',
    default: false,
    description: 'Log what was sent and answered, the first 2,000 characters of each body.',
  }),
  ...evidenceSettings,
} as const satisfies Record<string, Setting<unknown>>

type ValueOf<S> = S extends Setting<infer T> ? T : never

/** The values of all settings. */
export type Settings = { readonly [Name in keyof typeof settingTable]: ValueOf<(typeof settingTable)[Name]> }

/** All settings in the table's order, by their name in `Settings`. */
export const allSettings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settingTable)

/** `SIM_MAX_ANALYSES_PER_HOUR`. */
export function variableOf({ flag }: { readonly flag: string }): string {
  return `SIM_${flag.replaceAll('-', '_').toUpperCase()}`
}

/** Settings as they are where nobody says anything. */
export function defaultSettings(): Settings {
  return Object.fromEntries(allSettings.map(([name, setting]) => [name, setting.default])) as Settings // by the table's own type
}

/** The default as help and README write it. */
export function defaultOf(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default)
}
