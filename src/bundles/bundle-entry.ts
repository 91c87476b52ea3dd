import { fromLatin1 } from '../core/bytes.ts'
import { isComplete } from '../journal/capture-body.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import { bodyToBase64, bodyToText, decodeBody } from '../journal/entry-json.ts'
import { redacted } from '../redaction/redact-token.ts'
import type { BundledAnswer, BundledBody, BundledRequest } from './bundle.ts'
import type { Callers } from './callers.ts'

/** Converts a recorded exchange to its form in a bundle. */
export function bundleEntry(entry: JournalEntry, callers: Callers): BundledRequest {
  const { request, authorization, ownToken } = entry
  const body = bundleBody(request.body, ownToken)
  const renamed = authorization === undefined ? {} : { authorization: callers.rename(authorization) }
  const hidden = Object.entries(request.headers).filter(
    ([name, value]) => name !== 'authorization' && value.includes(redacted),
  )
  return {
    id: entry.id,
    order: entry.order,
    at: new Date(entry.at).toISOString(),
    now: new Date(entry.now).toISOString(),
    method: request.method,
    path: request.path,
    query: request.query,
    headers: { ...request.headers, ...renamed },
    body,
    ...(entry.aborted && { aborted: true }),
    redacted: [
      ...(request.path.includes(redacted) ? ['path'] : []),
      ...(request.query.includes(redacted) ? ['query'] : []),
      ...hidden.map(([name]) => `header/${name}`),
      ...(body.redacted ? ['body'] : []),
    ],
    answer: bundleAnswer(entry),
  }
}

/** Converts the answer of an exchange to its form in a bundle. */
export function bundleAnswer({ answer, ownToken, stage, ...entry }: JournalEntry): BundledAnswer {
  return {
    status: answer.status,
    headers: { ...answer.headers },
    body: bundleBody(answer.body, ownToken),
    origin: answer.origin,
    stage,
    scenarios: [...entry.scenarios],
    damage: [...entry.damage],
    delayMs: entry.delayMs,
    delivery: entry.delivery.kind,
  }
}

/** Converts a body to its form in a bundle, with its credentials and `token` redacted. */
export function bundleBody(body: RecordedBody, token?: string): BundledBody {
  const { latin1, size, digest, unreadable } = body
  const rest = { ...(digest !== undefined && { sha256: digest }), ...(unreadable && { unreadable }) }
  if (latin1 === undefined) return { size, ...rest }
  const cut = !isComplete(body) && ({ cut: true } as const)
  const original = decodeBody(body)
  // A text that is not the same bytes again, such as one that is cut within a character, is no text.
  if (original === undefined || Buffer.byteLength(original) !== latin1.length) {
    const base64 = bodyToBase64(body, token)
    const isClean = base64 === fromLatin1(latin1).toString('base64')
    return { size, base64, ...(!isClean && { redacted: true }), ...cut, ...rest }
  }
  const text = bodyToText(body, token) ?? ''
  return { size, text, ...(text !== original && { redacted: true }), ...cut, ...rest }
}
