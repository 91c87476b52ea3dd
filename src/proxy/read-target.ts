import { parseDuration } from '../core/instant.ts'
import { failure, type Result, success } from '../core/result.ts'
import { parseUpstream } from '../upstream/parse-upstream.ts'
import type { UpstreamTarget } from './forward.ts'

/** Reads the real service of `convsim proxy` from its operand and its token from the environment. The error is a sentence. */
export function readProxyTarget(
  [url = '']: readonly string[],
  { port, upstreamTimeout }: { readonly port: number; readonly upstreamTimeout: string },
  token: string | undefined,
): Result<UpstreamTarget> {
  if (url === '')
    return failure('Name the real service by its URL: convsim proxy https://api.example.com/v1.')
  const parsed = parseUpstream(url, token !== undefined)
  if (!parsed.ok) return parsed
  const { hostname, port: upstreamPort } = new URL(parsed.value.origin)
  const isOwnHost = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (isOwnHost && port !== 0 && upstreamPort === String(port))
    return failure(
      `${parsed.value.origin} is the address of the proxy itself. Give the proxy another port: --port ${port + 1}.`,
    )
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    return failure('CONVSIM_UPSTREAM_TOKEN has a character that a header cannot carry, such as a line break.')
  return success({ ...parsed.value, token, timeoutMs: parseDuration(upstreamTimeout) ?? 30_000 })
}
