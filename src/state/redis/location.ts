import { failure, type Result, success } from '../../base/core/result.ts'

/** The location of shared state: a database on a Redis server, and the prefix of the state's keys. */
export interface RedisLocation {
  /** The host in the form that sockets accept, such as `cache`, `127.0.0.1` or `::1`. */
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** The user and the password, decoded; each is empty if the URL does not contain it. */
  readonly user: string
  readonly password: string
  /** The database number; 0 if the URL has none. */
  readonly database: number
  /** The URL to show in messages, without the user and password, such as `redis://cache:6379/2`. */
  readonly displayUrl: string
  readonly prefix: string
}

export function isRedisUrl(state: string): boolean {
  return /^rediss?:/i.test(state)
}

/** Parses the URL of a Redis server. The error does not quote the URL, which may contain a password. */
export function parseRedisUrl(state: string, prefix: string): Result<RedisLocation> {
  if (!URL.canParse(state)) return failure(urlRule)
  const url = new URL(state)
  const { protocol, hostname, pathname, search, hash } = url
  if (hostname === '' || hostname.includes('%') || search !== '' || hash !== '' || !/^\/?\d{0,5}$/.test(pathname))
    return failure(urlRule)
  const port = Number(url.port || 6379)
  try {
    return success({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      tls: protocol === 'rediss:',
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: Number(pathname.slice(1)),
      displayUrl: `${protocol}//${hostname}:${port}${pathname === '/' ? '' : pathname}`,
      prefix,
    })
  } catch {
    return failure(encodingRule)
  }
}

/** Returns the value of `--state` for display, without a URL's user and password; `redis` for an invalid Redis URL. */
export function showState(state: string): string {
  if (!isRedisUrl(state)) return state
  const parsed = parseRedisUrl(state, '')
  return parsed.ok ? parsed.value.displayUrl : 'redis'
}

const urlRule =
  'The URL of a Redis server must be redis://HOST:PORT/DATABASE, or rediss:// for TLS, ' +
  'with a percent-encoded USER:PASSWORD@ before the host if required.'

const encodingRule =
  'The user or password in the URL of the Redis server is not percent-encoded: ' +
  'write a percent sign as %25, and an at sign as %40.'
