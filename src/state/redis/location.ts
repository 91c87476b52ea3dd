import { failure, type Result, success } from '../../core/result.ts'

/** The place of a shared state: a database of a Redis server, and the prefix of its keys. */
export interface RedisLocation {
  /** The URL with user and password, for the client only. */
  readonly url: string
  /** The URL without user and password, for messages: `redis://cache:6379/2`. */
  readonly shown: string
  readonly prefix: string
}

/** Returns true for a value of `--state` that names a Redis server. */
export function isRedisUrl(state: string): boolean {
  return /^rediss?:/i.test(state)
}

/** Parses the URL of a Redis server. The error does not repeat the URL, which may contain a password. */
export function parseRedisUrl(state: string, prefix: string): Result<RedisLocation> {
  if (!URL.canParse(state)) return failure(urlRule)
  const url = new URL(state)
  const { protocol, hostname, pathname, search, hash } = url
  if (hostname === '' || search !== '' || hash !== '' || !/^\/?\d{0,5}$/.test(pathname))
    return failure(urlRule)
  const shown = `${protocol}//${hostname}:${url.port || DEFAULT_PORT}${pathname === '/' ? '' : pathname}`
  return success({ url: state, shown, prefix })
}

/** Returns the value of `--state` as it can be shown: without the user and the password of a URL. */
export function showState(state: string): string {
  if (!isRedisUrl(state)) return state
  const parsed = parseRedisUrl(state, '')
  return parsed.ok ? parsed.value.shown : 'redis'
}

const DEFAULT_PORT = 6379

/** The rule for URLs, as the end of a sentence about `--state`. */
const urlRule =
  'The URL of a Redis server is redis://HOST:PORT/DATABASE or rediss:// for TLS, with USER:PASSWORD@ before the host if it needs them (percent-encoded).'
