import type { JournalEntry, RecordedBody } from './entry.ts'
import { bodyBase64, bodyText, textOf } from './entry-json.ts'
import { redacted } from './redact.ts'

/** Headers that curl makes itself. */
const ofTheConnection = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'keep-alive',
]

/** Headers that curl adds by itself, the last one to a body, unless it is told not to. */
const ofCurl = ['User-Agent', 'Accept', 'Content-Type']

/**
 * The request as a command to paste into a shell: `curl 'http://127.0.0.1:4010/v1/events' -H 'authorization: Bearer '"$TOKEN" ...`.
 * Credentials are shell variables: the token `$TOKEN`, of other headers `$X_API_KEY`.
 */
export function curlOf({ request }: JournalEntry): string {
  const { method, headers, body, path, query } = request
  const url = `http://${headers['host'] ?? '127.0.0.1:4010'}${path}${query === '' ? '' : `?${query}`}`
  const own = ofCurl.filter((name) => headers[lower(name)] === undefined)
  const unsent = own.filter((name) => name !== 'Content-Type' || body.size > 0).map((name) => `-H '${name}:'`)
  const options = Object.entries(headers)
    .filter(([name]) => !ofTheConnection.includes(name))
    .map(([name, value]) => `-H ${headerWord(name, value)}`)
  const sent = sentBody(body)
  const parts = [
    'curl --globoff --path-as-is',
    ...methodOptions(method, body.size > 0),
    quoted(url, 'CREDENTIAL'),
    ...options,
    ...unsent,
    ...sent.options,
  ]
  return `${sent.note}${sent.pipe}${parts.join(' \\\n  ')}\n`
}

function methodOptions(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quoted(method, '')}`]
}

interface SentBody {
  readonly note: string
  readonly pipe: string
  readonly options: readonly string[]
}

function sentBody(body: RecordedBody): SentBody {
  const kept = body.bytes?.length ?? 0
  if (body.size === 0) return { note: '', pipe: '', options: [] }
  const cut = kept < body.size ? `# Of the body ${kept} bytes of ${body.size} are kept.\n` : ''
  const text = bodyText(body)
  const isHidden = text !== textOf(body)
  const note = isHidden ? `${cut}# Credentials of the body are redacted: put them in.\n` : cut
  // What a shell cannot carry in an argument goes through a pipe.
  if (kept > 0 && (text === undefined || text.includes('\0'))) {
    const base64 = bodyBase64(body)
    return { note, pipe: `printf %s '${base64}' | base64 -d | `, options: ['--data-binary @-'] }
  }
  return { note, pipe: '', options: [`--data-raw ${quoted(text ?? '', '')}`] }
}

/** An empty value after a colon would mean: not this header. */
function headerWord(name: string, value: string): string {
  return value === '' ? quoted(`${name};`, '') : quoted(`${name}: ${value}`, variableOf(name))
}

const lower = (name: string) => name.toLowerCase()

function variableOf(header: string): string {
  return header === 'authorization' ? 'TOKEN' : header.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** A shell's word in which nothing means anything but itself, save that the variable stands for what was redacted; empty for none. */
function quoted(text: string, variable: string): string {
  const literal = (part: string) => `'${part.replaceAll("'", `'\\''`)}'`
  if (variable === '' || !text.includes(redacted)) return literal(text)
  const parts = text.split(redacted).map((part) => (part === '' ? '' : literal(part)))
  return parts.join(`"$${variable}"`)
}
