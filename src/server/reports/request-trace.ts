import type { Json, Violation } from '../../base/core/json.ts'
import { parsePointer, valueAt, valueAtTokens } from '../../base/core/json-pointer.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import { readQuery, replayHeader } from '../../service/exchange/request.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import {
  bodyToBase64,
  bodyToText,
  countStoredBytes,
  decodeBody,
  isComplete,
  parseBody,
  targetOf,
} from '../journal/entry-json.ts'

/** The first request that caused a finding, for debugging after the process has exited. Credentials are redacted. */
export interface RequestTrace {
  readonly sandbox: string
  readonly method: string
  /** The path with the query, cut after 500 characters. */
  readonly path: string
  /** The time of receipt on the sandbox's clock: `2026-01-15T12:00:00.000Z`. */
  readonly at: string
  /** The value that caused the finding, as JSON cut after 80 characters; absent if not found. */
  readonly excerpt?: string
  /** A shell command that resends the request, with at most 2,000 bytes of its body; absent if it would be too long. */
  readonly curl?: string
}

type RequestLocation = Pick<Violation, 'in' | 'pointer'>

const maxPathLength = 500
const maxExcerptLength = 80
const maxBodyBytes = 2000
const maxCurlLength = 6000

export function traceRequest(entry: JournalEntry, location?: RequestLocation): RequestTrace {
  const { sandbox, now, request } = entry
  const { method, body } = request
  const { latin1 = '', size } = body
  const shortBody = latin1.length > maxBodyBytes ? { latin1: latin1.slice(0, maxBodyBytes), size } : body
  const curl = entryToCurl({ ...entry, request: { ...request, body: shortBody } })
  const excerpt = location && excerptAt(entry, location)
  return {
    sandbox,
    method,
    path: targetOf(request).slice(0, maxPathLength),
    at: new Date(now).toISOString(),
    ...(excerpt !== undefined && { excerpt }),
    ...(curl.length <= maxCurlLength && { curl }),
  }
}

function excerptAt({ request, ownToken }: JournalEntry, location: RequestLocation): string | undefined {
  const value = findValue(request, location)
  if (value === undefined) return undefined
  // The value is redacted within all enclosing members, since any of their names may mark the value as a credential.
  const names = parsePointer(location.pointer)
  const enclosing = names.reduceRight<Json>((inner, name) => ({ [name]: inner }), value)
  const redactedValue = valueAtTokens(redactJson(enclosing, ownToken), names)
  const text = JSON.stringify(redactedValue === undefined ? redacted : redactedValue)
  return text.length > maxExcerptLength ? `${text.slice(0, maxExcerptLength)}...` : text
}

function findValue({ body, query, headers }: JournalEntry['request'], location: RequestLocation): Json | undefined {
  const name = location.pointer.slice(1)
  switch (location.in) {
    case 'body':
      return valueAt(parseBody(body), location.pointer)
    case 'query': {
      const value = readQuery(query)[name]
      return typeof value === 'object' ? [...value] : value
    }
    case 'header':
      return headers[name.toLowerCase()]
    default:
      return undefined
  }
}

/** Headers that the command omits: those that curl manages, and the header that marks a request as a replay. */
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

/** Headers that curl adds unless an option removes them. curl adds `Content-Type` only if the request has a body. */
const curlHeaders = ['User-Agent', 'Accept', 'Content-Type']

/**
 * Formats the request of an entry as a shell command: `curl ... 'http://127.0.0.1:4010/v1/events' -H ...`. In the URL
 * and the headers, shell variables replace redacted credentials: `"$X_API_KEY"` in the `x-api-key` header.
 */
export function entryToCurl({ request, ownToken }: JournalEntry): string {
  const { isEncrypted, method, headers, body } = request
  const url = `http${isEncrypted ? 's' : ''}://${headers['host'] ?? '127.0.0.1:4010'}${targetOf(request)}`
  const addedByCurl = curlHeaders.filter((name) => headers[name.toLowerCase()] === undefined)
  const removals = addedByCurl.filter((name) => name !== 'Content-Type' || body.size > 0).map((name) => `-H '${name}:'`)
  const options = Object.entries(headers)
    .filter(([name]) => !omittedHeaders.includes(name))
    .map(([name, value]) => `-H ${headerArgument(name, value)}`)
  const bodyParts = bodyArguments(body, ownToken)
  const parts = [
    'curl --globoff --path-as-is',
    ...methodOptions(method, body.size > 0),
    quoteArgument(url, 'CREDENTIAL'),
    ...options,
    ...removals,
    ...bodyParts.options,
  ]
  return `${bodyParts.before}${parts.join(' \\\n  ')}\n`
}

function methodOptions(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quoteArgument(method, '')}`]
}

/** Returns the options for the body, and the text before `curl`: comments and, if needed, a command and a pipe. */
function bodyArguments(body: RecordedBody, token: string | undefined) {
  const storedSize = countStoredBytes(body)
  if (body.size === 0) return { before: '', options: [] }
  const text = bodyToText(body, token)
  const cutNote = isComplete(body) ? '' : `# This command sends only ${storedSize} of ${body.size} bytes of the body.\n`
  const isRedacted = text !== decodeBody(body)
  const before = isRedacted ? `${cutNote}# Credentials in the body are redacted. Insert them first.\n` : cutNote
  // A body with NUL bytes or invalid UTF-8 cannot be a command's argument, so it is piped to curl.
  if (storedSize > 0 && (text === undefined || text.includes('\0'))) {
    const pipe = `printf %s '${bodyToBase64(body, token)}' | base64 -d | `
    return { before: before + pipe, options: ['--data-binary @-'] }
  }
  return { before, options: [`--data-raw ${quoteArgument(text ?? '', '')}`] }
}

/** Returns the argument of `-H`. curl sends an empty header for `name;` and removes the header for `name:`. */
function headerArgument(name: string, value: string): string {
  return value === '' ? quoteArgument(`${name};`, '') : quoteArgument(`${name}: ${value}`, variableFor(name))
}

function variableFor(header: string): string {
  return header === 'authorization' ? '{TOKEN:-any-key}' : header.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** Quotes text for the shell. A shell variable replaces each redacted part, unless the variable's name is empty. */
function quoteArgument(text: string, variable: string): string {
  const literal = (part: string) => `'${part.replaceAll("'", `'\\''`)}'`
  if (variable === '' || !text.includes(redacted)) return literal(text)
  const parts = text.split(redacted).map((part) => (part === '' ? '' : literal(part)))
  return parts.join(`"$${variable}"`)
}
