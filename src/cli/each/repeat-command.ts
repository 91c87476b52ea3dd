import { eachSettings } from '../../config/each-settings.ts'
import { allSettings, type Settings } from '../../config/settings.ts'
import { describeCommand } from '../../reports/reported-run.ts'

/** The settings that a repetition of one run does not need. */
const unneeded = new Set([...Object.keys(eachSettings), 'report', 'failOn', 'port', 'logLevel', 'logFormat'])

/** The settings whose default is another for `exec`. */
const unneededDefaults: Partial<Settings> = { state: ':memory:' }

/** Returns a function that writes the command line that repeats a run, by its name. Credentials are redacted. */
export function createRepeat(settings: Settings, command: readonly string[]): (name: string) => string {
  const given = new Map<string, unknown>(Object.entries(settings))
  const defaults = new Map<string, unknown>(Object.entries(unneededDefaults))
  const flags = allSettings.flatMap(([name, { flag, value, default: standard }]) => {
    const own = given.get(name)
    if ((unneeded.has(name) && name !== 'runTimeout') || own === (defaults.get(name) ?? standard)) return []
    if (value === undefined) return own === true ? [`--${flag}`] : [`--no-${flag}`]
    return [`--${flag}`, String(own)]
  })
  return (name) =>
    describeCommand(['convsim', 'exec', '--only', name, ...flags, '--', ...command].map(quoteWord))
}

/** Quotes a word for a shell, if it needs quotes. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
