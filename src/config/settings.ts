/**
 * Every setting once.
 *
 * arguments.ts parses their values from flags and environment variables; setting.ts has the kinds of settings: text, integer, ...
 */
import { isIP } from 'node:net'
import { parseNow } from '../core/instant.ts'
import { parseOrigins } from '../core/origins.ts'
import { isSeed } from '../core/seeded.ts'
import { commandLineSettings } from './command-line-settings.ts'
import { documentSettings } from './document-settings.ts'
import { limitSettings } from './limit-settings.ts'
import { boolean, choice, defaultsOf, integer, type Setting, text } from './setting.ts'
import { stateSettings } from './state-settings.ts'

const isClock = (text: string) => text === 'real' || parseNow(text) !== undefined

/** Tests that a header can carry the token: clients and servers cut the spaces around a value. */
const isToken = (text: string) => /^[\x20-\x7e]{1,1000}$/.test(text) && text === text.trim()

/** Accepts what a Host header can have, without a port. */
const areHostNames = (text: string) => text.split(',').every((name) => /^[\w.-]+$/.test(name.trim()))

const areOrigins = (text: string) => parseOrigins(text) !== undefined

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** The settings that the command line and `startSimulator` take. */
const sharedSettings = {
  port: integer({
    flag: 'port',
    short: 'p',
    alsoEnv: 'PORT',
    default: 4010,
    min: 0,
    max: 65_535,
    description: 'Port to listen on; 0 picks a free port.',
  }),
  host: text({
    flag: 'host',
    short: 'h',
    alsoEnv: 'HOST',
    // Some shells export the machine's type under this name: x86_64-pc-linux-gnu.
    alsoEnvOnly: {
      test: (text) => isIP(text) !== 0 || text.toLowerCase() === 'localhost',
      expected: 'an IP address or localhost',
    },
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'Address to listen on. HOST counts only if it is an IP address or localhost.',
  }),
  contract: text({
    flag: 'contract',
    value: 'FILE',
    default: undefined,
    defaultText: 'the bundled one',
    description: 'The OpenAPI 3.1 or 3.2 document of the service.',
  }),
  ...documentSettings,
  fixtures: text({
    flag: 'fixtures',
    value: 'FOLDER',
    default: undefined,
    defaultText: 'the bundled ones',
    description: 'Folder of the fixtures: keys, plans, models, products, personas, phrases.',
  }),
  ...stateSettings,
  seed: text({
    flag: 'seed',
    default: '1',
    test: isSeed,
    expected: '1 to 64 visible ASCII characters',
    description: 'Seed of all invented data and identifiers; another seed gives other data.',
  }),
  clock: text({
    flag: 'clock',
    value: 'real|INSTANT',
    default: 'real',
    test: isClock,
    expected: '"real" or an instant',
    description:
      'The simulated time: the real time, or an instant such as 2026-01-15T12:00:00Z at which it stands still.',
  }),
  scenario: text({
    flag: 'scenario',
    value: 'NAME[;PARAM=VALUE]',
    default: undefined,
    defaultText: 'none',
    description: 'Scenario to switch on for every request, e.g. "rate-limited;retry-after=3".',
  }),
  scenarios: text({
    flag: 'scenarios',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description:
      'File of scenario rules to switch on for all requests; its schema is spec/scenarios.schema.json.',
  }),
  plan: text({
    flag: 'plan',
    value: 'NAME',
    default: 'growth',
    description: 'Plan of every key that the fixtures do not list.',
  }),
  maxAnalysesPerHour: integer({
    flag: 'max-analyses-per-hour',
    default: undefined,
    defaultText: "the plan's",
    min: 1,
    max: 1_000_000_000,
    description: 'Maximum number of analytics requests per hour and key; further ones get a 429.',
  }),
  models: choice({
    flag: 'models',
    of: ['open', 'closed'],
    default: 'open',
    description: 'Models that exist: any UUID (open), or only those of the fixtures (closed).',
  }),
  strict: boolean({
    flag: 'strict',
    default: false,
    description:
      'Refuse requests that otherwise get advice, e.g. a misspelt member, or a value that does not fit its valueType.',
  }),
  controlToken: text({
    flag: 'control-token',
    default: undefined,
    defaultText: 'none',
    test: isToken,
    expected: '1 to 1000 visible ASCII characters, with spaces only between them',
    description: 'Bearer token that the control plane requires.',
  }),
  controlOpen: boolean({
    flag: 'control-open',
    default: false,
    description: 'Allow a control plane without a token even if it listens beyond this machine.',
  }),
  controlHosts: text({
    flag: 'control-hosts',
    value: 'NAME,...',
    default: undefined,
    defaultText: 'any name without dots',
    test: areHostNames,
    expected: 'host names with commas between them, e.g. sim.example.com',
    description:
      'Host names under which the control plane, and a proxy with a token, can be called, besides IP addresses, ' +
      'localhost and names that are never public.',
  }),
  controlOrigins: text({
    flag: 'control-origins',
    value: 'ORIGIN,...',
    default: undefined,
    defaultText: 'none',
    test: areOrigins,
    expected: 'origins of web pages without path or wildcard, e.g. http://localhost:6006',
    description:
      'Origins of web pages that may call the control plane, and through proxy the real service, e.g. those of a ' +
      'component workshop: http://localhost:6006.',
  }),
  ...limitSettings,
  cors: boolean({
    flag: 'cors',
    default: true,
    description:
      'Allow browser pages of any origin to call the API (CORS); in front of the real service only those of ' +
      '--control-origins.',
  }),
  simHeaders: boolean({
    flag: 'sim-headers',
    default: true,
    description: 'Send informative response headers (X-Request-Id, X-Sim-...).',
  }),
  xRateLimit: choice({
    flag: 'x-rate-limit',
    of: ['off', 'epoch', 'seconds'],
    default: 'off',
    description:
      'Send X-RateLimit-Limit, -Remaining and -Reset beside the fields RateLimit and RateLimit-Policy; the reset in epoch seconds, or in seconds from now on.',
  }),
  logLevel: choice({
    flag: 'log-level',
    of: LOG_LEVELS,
    default: 'info',
    description:
      'The lowest level to log, on stderr. debug adds why each request was answered so, and the requests to the control plane; trace also adds the headers of requests and answers.',
  }),
  logFormat: choice({
    flag: 'log-format',
    of: ['auto', 'pretty', 'json'],
    default: 'auto',
    defaultText: 'pretty on a terminal and for exec, json elsewhere',
    description:
      'The format of all output: lines for people, or one JSON object per line with level, time and msg.',
  }),
  logBodies: boolean({
    flag: 'log-bodies',
    default: false,
    description: 'Log the first 2,000 characters of each request and response body.',
  }),
} as const satisfies Record<string, Setting<unknown>>

/** The table of settings. The parser of the command line, `--help` and the table in docs/settings.md are made from it. */
export const settingTable = { ...sharedSettings, ...commandLineSettings }

/** Returns the default of every setting. */
export const defaultSettings = () => defaultsOf(settingTable)

/** Returns the default of every setting that code can give. */
export const sharedDefaults = () => defaultsOf(sharedSettings)

/** The values of all settings. */
export type Settings = ReturnType<typeof defaultSettings>

/** All settings in the table's order, by their name in `Settings`. */
export const allSettings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settingTable)

/** Returns the environment variable of a setting, `CONVSIM_PORT`, or undefined for a flag of a single command, which has none. */
export function variableOf({
  flag,
  command,
}: Pick<Setting<unknown>, 'flag' | 'command'>): string | undefined {
  return command === undefined ? `CONVSIM_${flag.replaceAll('-', '_').toUpperCase()}` : undefined
}

/** Returns the default of a setting as help and documentation show it. */
export function defaultOf(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default)
}
