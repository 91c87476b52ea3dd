import { failure, type Result, success } from '../core/result.ts'

/** The real service as the command line names it. */
export interface UpstreamTarget {
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string
  /** The path that stands for the contract's base path, without a trailing slash; empty: the path of a request is sent as it is. */
  readonly path: string
  /** The token that replaces that of the client; undefined: the client's own goes to the service. Never written anywhere. */
  readonly token: string | undefined
  /** The milliseconds that the service has until its answer begins, and between two parts of its body. */
  readonly timeoutMs: number
}

/** Parses `https://api.example.com/v1`. The error is a sentence that says what to write instead. */
export function parseUpstream(text: string): Result<Pick<UpstreamTarget, 'origin' | 'path'>> {
  if (text === '')
    return failure('Name the real service by its URL: convsim proxy https://api.example.com/v1.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    return failure(
      `"${cutCredentials(text)}" is no URL of a service. Write it with its scheme: https://api.example.com/v1.`,
    )
  if (url.username !== '' || url.password !== '')
    return failure(
      'The URL of the service has a user or a password, which other processes can read on the command line. Give a token in CONVSIM_UPSTREAM_TOKEN instead.',
    )
  if (url.search !== '' || url.hash !== '')
    return failure(
      `The URL of the service has a query or a fragment. Leave it out: ${url.origin}${url.pathname}.`,
    )
  return success({
    origin: url.origin,
    path: url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname,
  })
}

const cutCredentials = (text: string) => text.replace(/\/\/[^/@]*@/, '//').slice(0, 200)
