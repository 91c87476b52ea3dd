import { timingSafeEqual } from 'node:crypto'
import { type PageSettings, refuseForeignPage } from '../../service/exchange/foreign-page.ts'
import { refuse } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'

export interface GuardSettings extends PageSettings {
  /** Bearer token that a request must carry; undefined: no token is required. */
  readonly token: string | undefined
}

const controlPlane = { name: 'The control plane', allowsLinks: true }

/**
 * Refuses requests without the token, and requests of foreign web pages. A form of a foreign page is refused by
 * `read-request.ts`, since forms cannot send JSON.
 *
 * `isPublic` requests, for health or a file of the console, need no token. Returns undefined for an allowed request.
 */
export function guard(request: SimRequest, settings: GuardSettings, isPublic: boolean): Reply | undefined {
  const { token } = settings
  const refused = refuseForeignPage(request, settings, controlPlane)
  if (refused) return refused
  if (token !== undefined && !isPublic && !hasToken(request, token)) {
    const error = 'The control plane asks for its token. Send it as "Authorization: Bearer <--control-token>".'
    return refuse(401, error, 'simulator', { 'WWW-Authenticate': 'Bearer' })
  }
  return undefined
}

function hasToken({ headers }: SimRequest, token: string): boolean {
  const sent = Buffer.from(/^bearer (.*)$/i.exec(headers['authorization'] ?? '')?.[1]?.trimStart() ?? '')
  const expected = Buffer.from(token)
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
