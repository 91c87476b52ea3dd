import type { Json } from '../../base/core/json.ts'
import { parsePointer, valueAt, valueAtTokens } from '../../base/core/json-pointer.ts'
import { readQuery } from '../../base/core/query-string.ts'
import type { Violation } from '../../base/core/violation.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { parseBody } from '../journal/entry-json.ts'
import { entryToCurl } from './curl.ts'

/** The first request of a finding, to find its cause after the process has ended. Credentials are redacted. */
export interface RequestTrace {
  readonly sandbox: string
  readonly method: string
  /** The path with the query, at most 500 characters. */
  readonly path: string
  /** The sandbox's time of receipt: `2026-01-15T12:00:00.000Z`. */
  readonly at: string
  /** The value at the place of the finding as JSON, at most 80 characters; absent without a place or a value. */
  readonly excerpt?: string
  /** A shell command that sends the request again, the body cut after 2,000 bytes; absent if it is too large. */
  readonly curl?: string
}

type RequestPlace = Pick<Violation, 'in' | 'pointer'>

const maxPathLength = 500
const maxExcerptLength = 80
const maxBodyBytes = 2000
const maxCurlLength = 6000

/** Creates the trace of a request. `place`: the place of a broken rule; undefined for other findings. */
export function traceRequest(entry: JournalEntry, place?: RequestPlace): RequestTrace {
  const { sandbox, now, request } = entry
  const { method, path, query, body } = request
  const { latin1 = '', size } = body
  const short = latin1.length > maxBodyBytes ? { latin1: latin1.slice(0, maxBodyBytes), size } : body
  const curl = entryToCurl({ ...entry, request: { ...request, body: short } })
  const excerpt = place && excerptAt(entry, place)
  return {
    sandbox,
    method,
    path: `${path}${query === '' ? '' : `?${query}`}`.slice(0, maxPathLength),
    at: new Date(now).toISOString(),
    ...(excerpt !== undefined && { excerpt }),
    ...(curl.length <= maxCurlLength && { curl }),
  }
}

function excerptAt({ request, ownToken }: JournalEntry, place: RequestPlace): string | undefined {
  const value = findValue(request, place)
  if (value === undefined) return undefined
  // Redacted within all members around it, since any of their names tells whether the value is a credential.
  const names = parsePointer(place.pointer)
  const around = names.reduceRight<Json>((inner, name) => ({ [name]: inner }), value)
  const shown = valueAtTokens(redactJson(around, ownToken), names)
  const text = JSON.stringify(shown === undefined ? redacted : shown)
  return text.length > maxExcerptLength ? `${text.slice(0, maxExcerptLength)}...` : text
}

function findValue({ body, query, headers }: JournalEntry['request'], place: RequestPlace): Json | undefined {
  const name = place.pointer.slice(1)
  switch (place.in) {
    case 'body':
      return valueAt(parseBody(body), place.pointer)
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
