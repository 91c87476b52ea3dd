import type { Captured } from './entry.ts'

/** As much of an answer as is kept, bytes. Of a request all is: questions are asked of it, and the edge has bounded it. */
export const mostOfAnAnswer = 64 * 1024

/** A body for the journal, at most so much of it. Where that is all, the bytes themselves are kept and not a copy: nobody may write to them. */
export function captured(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): Captured {
  const { length } = bytes
  // A part by itself, since a view of it would hold on to the whole.
  return { bytes: length <= most ? bytes : new Uint8Array(bytes.subarray(0, most)), size: length }
}

/** What stands where a credential stood. */
export const redacted = '[redacted]'

/** Headers that most requests carry and that are no secret, so that the pattern need not be tried on them. */
const plain = new Set([
  'host',
  'connection',
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'content-length',
  'transfer-encoding',
  'user-agent',
  'sec-fetch-mode',
  'prefer',
])

const credentialName =
  /auth(?!or($|[^i]))|cookie|(api|access|secret|private|subscription)[-_]?key|token|secret|passw|credential|session|signature/i

const knownSchemes = ['bearer', 'basic', 'digest', 'negotiate', 'token', 'apikey']

/** The headers without a credential; a copy where there is one. Of a bearer token the sandbox that it names stays: `Bearer [redacted]~worker-3`. */
export function redactedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let copy: Record<string, string> | undefined
  for (const name in headers) {
    if (!isCredential(name)) continue
    copy ??= { ...headers }
    copy[name] = redactedValue(name, headers[name] ?? '')
  }
  return copy ?? headers
}

/** Whether a header of this lower-case name is redacted. */
export function isCredential(name: string): boolean {
  return !plain.has(name) && credentialName.test(name)
}

function redactedValue(name: string, value: string): string {
  if (name !== 'authorization' && name !== 'proxy-authorization') return redacted
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
  if (!knownSchemes.includes(scheme.toLowerCase())) return redacted
  const suffix = scheme.toLowerCase() === 'bearer' ? /~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\s*$/.exec(rest) : null
  return `${scheme} ${redacted}${suffix?.[0].trimEnd() ?? ''}`
}

/** The query with the values of parameters taken out that are named like credentials: `api_key=[redacted]`. */
export function redactedQuery(query: string): string {
  if (query === '' || !credentialName.test(query)) return query
  return query
    .split('&')
    .map((pair) => {
      const name = pair.split('=', 1)[0] ?? ''
      return credentialName.test(decoded(name)) && pair.includes('=') ? `${name}=${redacted}` : pair
    })
    .join('&')
}

/** Text of JSON with the values of members taken out that are named like credentials: `"apiKey":"[redacted]"`. */
export function withoutCredentials(text: string): string {
  return text.replace(
    /"((?:[^"\\]|\\.)*)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g,
    (member, name: string, colon: string) =>
      credentialName.test(name) ? `"${name}"${colon}"${redacted}"` : member,
  )
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
