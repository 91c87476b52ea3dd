import type { Schema } from '../../api/answers.ts'

/** A recorded request in the form in which it can be sent again. */
export interface Replay {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** The headers but those of the connection, with `any-key` for a redacted token. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, if there is one. */
  readonly body: string | undefined
}

/** The text that the journal writes in place of a credential. */
export const redacted = '[redacted]'

/** The header that marks a request as sent by this page, so that nothing is held against the tested client for it. */
export const replayHeader = 'x-sim-replay-of'

/** Headers of the connection or of the client itself, which each client sets anew. */
const ownHeaders =
  /^(x-sim-replay-of|host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|user-agent|origin|referer|sec-.*)$/

/** Returns the headers of a request that mean something to the service. */
export function meaningfulHeaders({ request }: Schema<'Exchange'>): [string, string][] {
  return Object.entries(request.headers).filter(([name]) => !ownHeaders.test(name))
}

/** Returns the text of a recorded body; undefined where there is none, or not all of it was recorded. */
export function bodyText(body: Schema<'Body'>): string | undefined {
  if (body.size === 0 || body.cut || body.gone) return undefined
  return body.text ?? ('json' in body ? JSON.stringify(body.json) : undefined)
}

/** Returns true where a request had a token, which the journal does not record. */
export function isTokenUnknown({ request }: Schema<'Exchange'>): boolean {
  return request.headers['authorization']?.includes(redacted) ?? false
}

/** Returns the reason why a request is not known well enough to be asked about or sent again; undefined: it is. */
export function findReplayProblem({ request }: Schema<'Exchange'>): string | undefined {
  if (request.body.size === 0) return undefined
  return bodyText(request.body) === undefined ? 'The journal does not have the whole body as text.' : undefined
}

/**
 * Returns the reason why this page cannot send a request again as it was, if any. Any web page can have a request
 * recorded, so a target that the browser would resolve to another, such as `/v1/../__sim/reset`, must not be sent.
 */
export function findSendProblem(exchange: Schema<'Exchange'>): string | undefined {
  const { method, body } = exchange.request
  const url = URL.canParse(urlOf(exchange)) ? new URL(urlOf(exchange)) : undefined
  if (url?.origin !== location.origin || url.pathname + url.search !== targetOf(exchange))
    return 'A browser would change the path or the query. Copy the request as curl, which sends them as they are.'
  if (controlPath.test(url.pathname)) return 'It is a request to the control plane, not to the service.'
  if (/^(TRACE|CONNECT|TRACK)$/.test(method)) return `No browser sends ${method}. Copy the request as curl.`
  if (/^(GET|HEAD)$/.test(method) && body.size > 0)
    return `No browser sends a body with ${method}. Copy the request as curl.`
  return findReplayProblem(exchange)
}

/** The pattern of the paths that the control plane answers, in any case, as the server compares them. */
const controlPath = /^\/+__sim(\/|$)/i

/** Returns the target of a request, its path with the query, as it was sent. */
export function targetOf({ request: { path, query } }: Schema<'Exchange'>): string {
  return query === '' ? path : `${path}?${query}`
}

/** Returns the URL of a request at this server: a target with two slashes first would name another server. */
export const urlOf = (exchange: Schema<'Exchange'>): string => location.origin + targetOf(exchange)

/** Returns a request in the form to send again, with the sandbox in a header if only the redacted token named it. */
export function toReplay(exchange: Schema<'Exchange'>): Replay {
  const { request, sandbox } = exchange
  const { method, path } = request
  const sent = meaningfulHeaders(exchange).filter(([, value]) => !value.includes(redacted))
  const headers = Object.fromEntries(sent)
  const isSandboxNamed = headers['x-sim-sandbox'] !== undefined || path.startsWith('/_s/') || sandbox === 'default'
  return {
    method,
    target: targetOf(exchange),
    headers: {
      ...(isTokenUnknown(exchange) && { authorization: 'Bearer any-key' }),
      ...headers,
      ...(!isSandboxNamed && { 'x-sim-sandbox': sandbox }),
    },
    body: bodyText(request.body),
  }
}
