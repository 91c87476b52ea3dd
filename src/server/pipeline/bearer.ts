import { otherSchemes } from '../../base/redaction/redact.ts'

/** The content of an `Authorization` header: a token and the sandbox of its suffix, or why there is no token. */
export type Bearer =
  | { readonly ok: true; readonly token: string; readonly sandbox: string | undefined }
  | { readonly ok: false; readonly problem: string }

/**
 * Parses `Bearer any-key` and `Bearer any-key~worker-3` (the part behind the last tilde names a sandbox). The scheme's
 * case does not matter (RFC 9110); any token that is not empty will do, spaces included.
 */
export function readBearer(header: string | undefined): Bearer {
  if (header === undefined || header.trim() === '') return no('The Authorization header is missing.')
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(header) ?? []
  const name = scheme.toLowerCase()
  if (name === 'bearer') return readToken(rest.trim())
  // The refusal does not repeat a key without a scheme: replies are logged in many places.
  if (rest === '') return no('The Authorization header has no scheme before the key.')
  if (otherSchemes.includes(name)) return no(`The Authorization header uses the scheme "${scheme}", not Bearer.`)
  // An unknown scheme may be the beginning of a key: the refusal does not repeat it either.
  return no('The Authorization header uses a scheme that is not Bearer.')
}

function readToken(token: string): Bearer {
  const tilde = token.lastIndexOf('~')
  const key = tilde < 0 ? token : token.slice(0, tilde)
  if (key === '') return no('The bearer token is empty.')
  return { ok: true, token: key, sandbox: tilde < 0 ? undefined : token.slice(tilde + 1) }
}

const no = (problem: string) => ({ ok: false, problem }) as const
