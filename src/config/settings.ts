/**
 * The settings of a server, and the parser of a command line.
 *
 * setting.ts has the kinds of settings: text, integer, ... parse.ts parses the settings of a command from flags and environment
 * variables.
 */
import { isIP } from 'node:net'
import { parseNow } from '../core/instant.ts'
import { parseOrigins } from '../core/origins.ts'
import { isSeed } from '../core/seeded.ts'
import { documentSettings } from './document-settings.ts'
import { endSettings } from './end-settings.ts'
import { limitSettings } from './limit-settings.ts'
import {
  boolean,
  choice,
  defaultsOf,
  flagOf,
  integer,
  type Setting,
  type SettingTable,
  text,
} from './setting.ts'
import { stateSettings } from './state-settings.ts'

const isClock = (text: string) => text === 'real' || parseNow(text) !== undefined

/** Tests that a header can carry the token: clients and servers cut the spaces around a value. */
const isToken = (text: string) => /^[\x20-\x7e]{1,1000}$/.test(text) && text === text.trim()

/** Accepts what a Host header can have, without a port. */
const areHostNames = (text: string) => text.split(',').every((name) => /^[\w.-]+$/.test(name.trim()))

const areOrigins = (text: string) => parseOrigins(text) !== undefined

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** The settings that `serve` and `startSimulator` take. */
const sharedSettings = {
  port: integer({
    short: 'p',
    alsoEnv: 'PORT',
    default: 4010,
    min: 0,
    max: 65_535,
    description: 'Port to listen on; 0 picks a free port.',
  }),
  host: text({
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
    value: 'FILE',
    default: undefined,
    defaultText: 'the bundled one',
    description: 'The OpenAPI 3.1 or 3.2 document of the service.',
  }),
  ...documentSettings,
  fixtures: text({
    value: 'FOLDER',
    default: undefined,
    defaultText: 'the bundled ones',
    description: 'Folder of the fixtures: keys, plans, models, products, personas, phrases.',
  }),
  ...stateSettings,
  seed: text({
    default: '1',
    test: isSeed,
    expected: '1 to 64 visible ASCII characters',
    description: 'Seed of all invented data and identifiers; another seed gives other data.',
  }),
  clock: text({
    value: 'real|INSTANT',
    default: 'real',
    test: isClock,
    expected: '"real" or an instant',
    description:
      'The simulated time: the real time, or an instant such as 2026-01-15T12:00:00Z at which it stands still.',
  }),
  scenario: text({
    value: 'NAME[;PARAM=VALUE]',
    default: undefined,
    description: 'Scenario to switch on for every request, e.g. "rate-limited;retry-after=3".',
  }),
  scenarios: text({
    value: 'FILE',
    default: undefined,
    description:
      'File of scenario rules to switch on for all requests; its schema is spec/scenarios.schema.json.',
  }),
  plan: text({
    value: 'NAME',
    default: 'growth',
    description: 'Plan of every key that the fixtures do not list.',
  }),
  maxAnalysesPerHour: integer({
    default: undefined,
    defaultText: "the plan's",
    min: 1,
    max: 1_000_000_000,
    description: 'Maximum number of analytics requests per hour and key; further ones get a 429.',
  }),
  models: choice({
    of: ['open', 'closed'],
    default: 'open',
    description: 'Models that exist: any UUID (open), or only those of the fixtures (closed).',
  }),
  strict: boolean({
    default: false,
    description:
      'Refuse requests that otherwise get advice, e.g. a misspelt member, or a value that does not fit its valueType.',
  }),
  controlToken: text({
    default: undefined,
    test: isToken,
    expected: '1 to 1000 visible ASCII characters, with spaces only between them',
    description: 'Bearer token that the control plane requires.',
  }),
  controlOpen: boolean({
    default: false,
    description: 'Allow a control plane without a token even if it listens beyond this machine.',
  }),
  controlHosts: text({
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
    value: 'ORIGIN,...',
    default: undefined,
    test: areOrigins,
    expected: 'origins of web pages without path or wildcard, e.g. http://localhost:6006',
    description:
      'Origins of web pages that may call the control plane, and through proxy the real service, e.g. those of a ' +
      'component workshop: http://localhost:6006.',
  }),
  ...limitSettings,
  cors: boolean({
    default: true,
    description:
      'Allow browser pages of any origin to call the API (CORS); in front of the real service only those of ' +
      '--control-origins.',
  }),
  simHeaders: boolean({
    default: true,
    description: 'Send informative response headers (X-Request-Id, X-Sim-...).',
  }),
  xRateLimit: choice({
    of: ['off', 'epoch', 'seconds'],
    default: 'off',
    description:
      'Send X-RateLimit-Limit, -Remaining and -Reset beside the fields RateLimit and RateLimit-Policy; the reset in epoch seconds, or in seconds from now on.',
  }),
  logLevel: choice({
    of: LOG_LEVELS,
    default: 'info',
    description:
      'The lowest level to log, on stderr. debug adds why each request was answered so, and the requests to the control plane; trace also adds the headers of requests and answers.',
  }),
  logFormat: choice({
    of: ['auto', 'pretty', 'json'],
    default: 'auto',
    defaultText: 'pretty on a terminal and for exec, json elsewhere',
    description:
      'The format of all output: lines for people, or one JSON object per line with level, time and msg.',
  }),
  logBodies: boolean({
    default: false,
    description: 'Log the first 2,000 characters of each request and response body.',
  }),
} as const satisfies SettingTable

/** The settings of a server by their names; `startSimulator` takes all but those of the end of the process. */
export const serverSettings = { ...sharedSettings, ...endSettings }

/** Returns the default of every setting of a server. */
export const defaultSettings = () => defaultsOf(serverSettings)

/** Returns the default of every setting that code can give. */
export const sharedDefaults = () => defaultsOf(sharedSettings)

/** The values of the settings of a server. */
export type Settings = ReturnType<typeof defaultSettings>

/** The most used settings of a server, which the help of the program lists. */
export const commonSettings = [
  'port',
  'host',
  'contract',
  'overlay',
  'fixtures',
  'state',
  'seed',
  'clock',
  'scenario',
  'scenarios',
  'strict',
  'logLevel',
  'report',
  'failOn',
] as const satisfies readonly (keyof Settings)[]

/** Returns the environment variable of a setting, `CONVSIM_PORT`; undefined for one that no server has. */
export function variableOf(name: string): string | undefined {
  if (!Object.hasOwn(serverSettings, name)) return undefined
  return `CONVSIM_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

/** Returns the default of a setting as help and documentation show it. */
export function defaultOf(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default ?? 'none')
}
