/**
 * `server/upstream/`: sends requests to the real service (with timeouts, retries and redaction), and reads
 * recordings. This file parses the URL of the service; `client.ts` sends a request, and `send.ts` retries it.
 */
import { failure, type Result, success } from '../../base/core/result.ts'

/** The environment variable for the real service's token. A flag would be visible to other users in process lists. */
export const upstreamTokenVariable = 'CONVSIM_UPSTREAM_TOKEN'

export function readUpstreamToken(env: NodeJS.ProcessEnv): Result<string | undefined> {
  const token = env[upstreamTokenVariable]?.trim() || undefined
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return success(token)
  return failure(`${upstreamTokenVariable} has characters that a token cannot contain, such as spaces. Set it again.`)
}

export interface Upstream {
  readonly origin: string
  /** The base path without a trailing slash, such as `/v1`; empty for the root. */
  readonly basePath: string
}

export interface UpstreamAccess extends Upstream {
  /** The bearer token, if any. It is never stored or logged. */
  readonly token: string | undefined
  readonly timeoutMs: number
}

/** Parses the base URL of a real service. With a token, `http://` is accepted only for this machine. */
export function parseUpstream(text: string, hasToken: boolean): Result<Upstream> {
  const example = 'Use its base URL, such as https://api.example.com/v1.'
  if (!URL.canParse(text)) return failure(`"${text}" is not the URL of a service. ${example}`)
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return failure(`The URL of the service must begin with https:// or http://. ${example}`)
  if (url.username !== '' || url.password !== '')
    return failure('The URL of the service must not have a user name or password. Set CONVSIM_UPSTREAM_TOKEN instead.')
  if (url.search !== '' || url.hash !== '')
    return failure(`The URL of the service must not have a query or fragment. ${example}`)
  if (url.protocol === 'http:' && hasToken && !isLoopback(url.hostname))
    return failure(
      `http://${url.host} would send CONVSIM_UPSTREAM_TOKEN in clear text. Use https://, or unset the variable.`,
    )
  return success({ origin: url.origin, basePath: cutSlashes(url.pathname) })
}

function cutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
