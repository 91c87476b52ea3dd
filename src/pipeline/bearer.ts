import type { Bearer } from '../exchange/exchange.ts'

/**
 * Reads `Bearer any-key` and `Bearer any-key~worker-3` (the part behind the last tilde names a sandbox). The scheme's
 * case does not matter (RFC 9110); any token that is not empty will do, spaces included.
 */
export function readBearer(header: string | undefined): Bearer {
  if (header === undefined || header.trim() === '') return no('The Authorization header is missing.')
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(header) ?? []
  const name = scheme.toLowerCase()
  if (name === 'bearer') return readToken(rest.trim())
  // A key without a scheme is not repeated: answers are logged in many places.
  if (rest === '') return no('The Authorization header has no scheme before the key.')
  if (otherSchemes.includes(name))
    return no(`The Authorization header uses the scheme "${scheme}", not Bearer.`)
  // What is no scheme may be the beginning of a key.
  return no('The Authorization header uses a scheme that is not Bearer.')
}

function readToken(token: string): Bearer {
  const tilde = token.lastIndexOf('~')
  const key = tilde < 0 ? token : token.slice(0, tilde)
  if (key === '') return no('The bearer token is empty.')
  return { ok: true, token: key, sandbox: tilde < 0 ? undefined : token.slice(tilde + 1) }
}

const otherSchemes = ['apikey', 'basic', 'digest', 'negotiate', 'token']

const no = (problem: string) => ({ ok: false, problem }) as const
