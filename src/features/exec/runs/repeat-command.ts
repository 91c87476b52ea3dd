import { redacted } from '../../../base/redaction/redact-token.ts'
import { redactWords } from '../../../server/reports/reported-run.ts'
import { flagOf } from '../../../server/settings/setting.ts'
import { type EachSettings, eachSettings } from '../settings.ts'

/** The settings that the repetition of one run does not need. */
const unneeded = ['set', 'only', 'maxRuns', 'time', 'jobs', 'report', 'failOn', 'port', 'logLevel', 'logFormat']

/** Returns the command line that repeats the run of a name. Credentials are redacted, and the line says so. */
export function describeRepeat(name: string, settings: EachSettings, command: readonly string[]): string {
  const given = new Map<string, unknown>(Object.entries(settings))
  const flags = Object.entries(eachSettings).flatMap(([name, { value, default: standard }]) => {
    const own = given.get(name)
    if (unneeded.includes(name) || own === standard) return []
    if (value === undefined) return own === true ? [flagOf(name)] : [`--no-${flagOf(name).slice(2)}`]
    return [flagOf(name), String(own)]
  })
  const all = ['convsim', 'each', '--only', name, ...flags, '--', ...command]
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
