import { redacted } from '../../base/redaction/redact-token.ts'
import { replayHeader } from '../../service/exchange/request-headers.ts'
import { isComplete, type JournalEntry, type RecordedBody, storedBytes } from '../journal/entry.ts'
import { bodyToBase64, bodyToText, decodeBody } from '../journal/entry-json.ts'

/** Headers of the connection, which curl sets itself, and that of a repetition: who runs the command is a client. */
const omittedHeaders = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'keep-alive',
  replayHeader,
]

/** Headers that curl adds unless an option removes them; `Content-Type` only to a request with a body. */
const curlHeaders = ['User-Agent', 'Accept', 'Content-Type']

/**
 * Formats the request of an entry as a shell command: `curl 'http://127.0.0.1:4010/v1/events' -H ...`. Shell variables
 * stand for redacted credentials: `"${TOKEN:-any-key}"` for the token, `"$X_API_KEY"` for the header `x-api-key`.
 */
export function entryToCurl({ request, ownToken }: JournalEntry): string {
  const { method, headers, body, path, query } = request
  const url = `http://${headers['host'] ?? '127.0.0.1:4010'}${path}${query === '' ? '' : `?${query}`}`
  const added = curlHeaders.filter((name) => headers[name.toLowerCase()] === undefined)
  const removals = added.filter((name) => name !== 'Content-Type' || body.size > 0).map((name) => `-H '${name}:'`)
  const options = Object.entries(headers)
    .filter(([name]) => !omittedHeaders.includes(name))
    .map(([name, value]) => `-H ${headerArgument(name, value)}`)
  const sent = bodyArguments(body, ownToken)
  const parts = [
    'curl --globoff --path-as-is',
    ...methodOptions(method, body.size > 0),
    quoteArgument(url, 'CREDENTIAL'),
    ...options,
    ...removals,
    ...sent.options,
  ]
  return `${sent.comments}${sent.pipe}${parts.join(' \\\n  ')}\n`
}

function methodOptions(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quoteArgument(method, '')}`]
}

/** Returns the options for the body, comment lines above the command, and a command whose output curl reads. */
function bodyArguments(body: RecordedBody, token: string | undefined) {
  const stored = storedBytes(body)
  if (body.size === 0) return { comments: '', pipe: '', options: [] }
  const cut = !isComplete(body) ? `# Of the body ${stored} bytes of ${body.size} are kept.\n` : ''
  const text = bodyToText(body, token)
  const isRedacted = text !== decodeBody(body)
  const comments = isRedacted ? `${cut}# Credentials of the body are redacted: put them in.\n` : cut
  // A shell argument cannot carry NUL bytes or bytes that are no text; a pipe can.
  if (stored > 0 && (text === undefined || text.includes('\0'))) {
    const base64 = bodyToBase64(body, token)
    return { comments, pipe: `printf %s '${base64}' | base64 -d | `, options: ['--data-binary @-'] }
  }
  return { comments, pipe: '', options: [`--data-raw ${quoteArgument(text ?? '', '')}`] }
}

/** Returns the argument of `-H`. curl sends an empty header for `name;`, and removes the header for `name:`. */
function headerArgument(name: string, value: string): string {
  return value === '' ? quoteArgument(`${name};`, '') : quoteArgument(`${name}: ${value}`, variableFor(name))
}

function variableFor(header: string): string {
  return header === 'authorization' ? '{TOKEN:-any-key}' : header.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** Quotes a text for the shell; the variable replaces each redacted part. An empty variable name replaces none. */
function quoteArgument(text: string, variable: string): string {
  const literal = (part: string) => `'${part.replaceAll("'", `'\\''`)}'`
  if (variable === '' || !text.includes(redacted)) return literal(text)
  const parts = text.split(redacted).map((part) => (part === '' ? '' : literal(part)))
  return parts.join(`"$${variable}"`)
}
