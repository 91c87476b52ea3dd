/** The settings that code can pass: all server settings except those that apply when the process ends. */
import { isIP } from 'node:net'
import { parseNow } from '../../base/core/instant.ts'
import { isSeed } from '../../base/core/seeded.ts'
import { bundledContract, bundledOverlays, listFixtureFiles } from '../../service/fixtures/bundled.ts'
import { findRealPath } from './file-conflicts.ts'
import { furtherSettings } from './further-settings.ts'
import { boolean, choice, defaultsOf, inputFile, integer, type SettingTable, splitList, text } from './setting.ts'

// An invalid Redis URL is refused later, when the state is opened, with a message that omits the password.
const isState = (text: string) => text !== '' && (/^rediss?:/i.test(text) || !/^[a-z]+:\/\//i.test(text))

/** Lists the state file and the files next to it: both write-ahead logs, the lock, and the temporary file. */
function listStateFiles(state = ':memory:'): string[] {
  if (state === ':memory:' || /^rediss?:/i.test(state)) return []
  const path = findRealPath(state)
  return [path, ...['.journal', '.lock', '.tmp', '.journal.old'].map((ending) => path + ending)]
}

/** Lists the overlay files. A bundled overlay is selected by name: `published` is bundled, `./published` is a file. */
export function listOverlays(overlay?: string): string[] {
  return splitList(overlay).map((name) => bundledOverlays.get(name) ?? name)
}

const commonSettings = {
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
    // Some shells export the machine type as HOST: x86_64-pc-linux-gnu.
    isForConvsim: (text) => isIP(text) !== 0 || text.toLowerCase() === 'localhost',
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'Address to listen on. The variable HOST is used only if its value is an IP address or localhost.',
  }),
  contract: text({
    value: 'FILE',
    expected: 'the name of a file',
    defaultText: 'the bundled contract',
    files: { areWritten: false, list: (file = bundledContract) => [file] },
    description: 'The OpenAPI document of the service: 3.x or Swagger 2.0.',
  }),
  overlay: text({
    value: 'FILE',
    repeatable: true,
    files: { areWritten: false, list: listOverlays },
    test: (text) => splitList(text).length > 0,
    expected: 'file names separated by commas',
    description:
      'OpenAPI Overlay (1.0 or 1.1) that changes the contract; ' +
      'can be specified several times, and the overlays are applied in order. ' +
      '"published" is bundled: it adds what the vendor publishes but the bundled contract does not describe.',
  }),
  fixtures: text({
    value: 'FOLDER',
    defaultText: 'the bundled fixtures',
    files: { areWritten: false, list: listFixtureFiles },
    description: 'Folder with the fixtures: keys, plans, models, products, personas, phrases and exact responses.',
  }),
  state: text({
    value: 'FILE|URL',
    default: './.convsim/state.json',
    files: { areWritten: true, list: listStateFiles },
    test: isState,
    expected: 'a file, ":memory:", or the URL of a Redis server (redis://cache:6379/0)',
    description:
      'Where to store prompts and events: a file, ":memory:" to keep them only until the process ends, ' +
      'or the URL of a Redis server (which several replicas can share).',
  }),
  seed: text({
    default: '1',
    test: isSeed,
    expected: '1 to 64 visible ASCII characters',
    description: 'Seed for all generated data and identifiers; a different seed gives different data.',
  }),
  clock: text({
    value: 'real|INSTANT',
    default: 'real',
    test: (text) => text === 'real' || parseNow(text) !== undefined,
    expected: '"real" or a timestamp in the years 1900 to 9999',
    description: 'The simulated time: the real time, or a fixed time such as 2026-01-15T12:00:00Z.',
  }),
  scenario: text({
    value: 'NAME[;PARAM=VALUE]',
    description: 'Scenario to apply to every request, such as "rate-limited;retry-after=3".',
  }),
  rules: text({
    value: 'FILE',
    expected: 'the name of a file',
    files: inputFile,
    description: 'File of scenario rules for all sandboxes; its schema is spec/scenarios.schema.json.',
  }),
  strict: boolean({
    default: false,
    description:
      'Refuse requests with a clear mistake, such as a misspelled name or a value that does not match its valueType. ' +
      'An event without a conversation ID, or a repeated insertId with a different payload, still gets only advice.',
  }),
  logLevel: choice({
    of: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description:
      'Lowest level to log to stderr. ' +
      'debug adds the reasons for each response, and the requests to the control plane; ' +
      'trace also adds the headers of requests and responses.',
  }),
} as const satisfies SettingTable

/**
 * The settings that `serve` and `startSimulator` share.
 * @internal
 */
export const sharedSettings = { ...commonSettings, ...furtherSettings }

/** Returns the defaults of the settings that code can pass. The build adds descriptions to the type declarations. */
const sharedDefaults = () => defaultsOf(sharedSettings)

export type LibrarySettings = Partial<Omit<ReturnType<typeof sharedDefaults>, 'seed' | 'clock'>> & {
  /** Seed for all generated data and identifiers. Default: "1". */
  readonly seed?: string | number | undefined
  /** The simulated time: "real", or a fixed time. Default: "real". */
  readonly clock?: string | Date | undefined
}
