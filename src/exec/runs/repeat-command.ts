import { flagOf } from '../../config/setting.ts'
import { redacted } from '../../redaction/redact-token.ts'
import { redactWords } from '../../reports/reported-run.ts'
import { type ExecSettings, eachSettings, execSettings } from '../settings.ts'

/** The settings that a repetition of one run does not need. Each run begins with an empty state in memory. */
const unneeded = new Set([
  ...Object.keys(eachSettings),
  ...['report', 'failOn', 'port', 'logLevel', 'logFormat', 'state', 'statePrefix', 'replica', 'sync'],
])

/**
 * Returns the command line that repeats a run. `words`: the flags that name the run, such as `--only`, and its name.
 * Credentials are redacted, and the line says so.
 */
export function describeRepeat(words: readonly string[], settings: ExecSettings, command: readonly string[]): string {
  const given = new Map<string, unknown>(Object.entries(settings))
  const flags = Object.entries(execSettings).flatMap(([name, { value, default: standard }]) => {
    const own = given.get(name)
    const isNeeded = !unneeded.has(name) || (name === 'runTimeout' && words[0] === '--only')
    if (!isNeeded || own === standard) return []
    if (value === undefined) return own === true ? [flagOf(name)] : [`--no-${flagOf(name).slice(2)}`]
    return [flagOf(name), String(own)]
  })
  const all = ['convsim', 'exec', ...words, ...flags, '--', ...command]
  const clean = redactWords(all)
  const hasCredential = clean.some((word, index) => word !== all[index])
  return clean.map(quoteWord).join(' ') + (hasCredential ? note : '')
}

/** The comment of a command line that lacks its credentials. */
const note = ` # put the credential back at ${redacted}`

/** Quotes a word for a shell, if it needs quotes. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
