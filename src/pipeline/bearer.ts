/** What an `Authorization` header says. */
export type Bearer =
  | { readonly ok: true; readonly token: string; readonly sandbox: string | undefined }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads `Bearer any-key` and `Bearer any-key~worker-3` (the part behind the last tilde names a sandbox). The scheme's
 * case does not matter (RFC 9110); any token that is not empty will do, spaces included.
 */
export function readBearer(header: string | undefined): Bearer {
  if (header === undefined || header.trim() === '') return no('The Authorization header is missing.')
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(header) ?? []
  // A key without a scheme is not repeated: answers are logged in many places.
  if (scheme.toLowerCase() !== 'bearer' && rest === '')
    return no('The Authorization header has no scheme before the key.')
  if (otherSchemes.includes(scheme.toLowerCase()))
    return no(`The Authorization header uses the scheme "${scheme}", not Bearer.`)
  // What is no scheme may be the beginning of a key.
  if (scheme.toLowerCase() !== 'bearer')
    return no('The Authorization header uses a scheme that is not Bearer.')
  const token = rest.trim()
  const tilde = token.lastIndexOf('~')
  const key = tilde < 0 ? token : token.slice(0, tilde)
  if (key === '') return no('The bearer token is empty.')
  return { ok: true, token: key, sandbox: tilde < 0 ? undefined : token.slice(tilde + 1) }
}

const otherSchemes = ['apikey', 'basic', 'digest', 'negotiate', 'token']

const no = (problem: string) => ({ ok: false, problem }) as const
