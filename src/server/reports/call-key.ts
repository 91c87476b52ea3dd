import { createHash } from 'node:crypto'
import { fromLatin1 } from '../../base/core/bytes.ts'
import { canonicalJson, isObject, type Json } from '../../base/core/json.ts'
import type { Contract } from '../../service/contract/contract.ts'
import type { JournalEntry, LiveExchange, RecordedBody } from '../journal/entry.ts'
import { parseBody } from '../journal/entry-json.ts'

/** The keys by which a request is recognised as an attempt of an earlier call. */
export interface CallKey {
  /** Method, path and query, which all attempts of a call share; cheaper than the digests, so compared first. */
  readonly kind: string
  /** A digest of kind, caller and `insertId`, or content type and body without one: equal for all attempts. */
  readonly key: string
  /** A digest of the kind, the caller, the content type and the whole body. */
  readonly body: string
  /** A digest of kind, caller and the body without `insertId`; undefined unless it has `insertId` and `eventAt`. */
  readonly event: string | undefined
  /** A digest of kind, caller and the body; of an event's without `insertId` and times, which each try may renew. */
  readonly content: string
  /** The body's idempotency key; undefined for a body without it, and for an operation that has none. */
  readonly insertId: string | undefined
}

/** The field that makes a retry of an event safe (docs/development/service.md, 5.4). */
const insertIdField = 'insertId'

/** The field with the time of an event, which tells it from an equal one. */
const eventTimeField = 'eventAt'

export function findIdempotentOperations({ operations }: Pick<Contract, 'operations'>): ReadonlySet<string> {
  const idempotent = operations.filter((operation) => {
    const properties = operation.bodySchema()?.['properties']
    return isObject(properties) && Object.hasOwn(properties, insertIdField)
  })
  return new Set(idempotent.map(({ id }) => id))
}

/** Returns the kind of a request's call: `POST /v1/events?`. */
export function callKind({ request: { method, path, query } }: JournalEntry): string {
  return `${method} ${path}?${query}`
}

/** The parts of an exchange that tell calls apart and that an entry does not store. */
export type LiveCall = Pick<LiveExchange, 'requestBody' | 'token'>

/** Creates the call key of a request. `isIdempotent`: true where the body of its operation has an idempotency key. */
export function createCallKey(entry: JournalEntry, live: LiveCall, isIdempotent: boolean): CallKey {
  const { headers, body } = entry.request
  const kind = callKind(entry)
  const digestOf = (...parts: readonly string[]) => digest([kind, live.token ?? '', ...parts])
  const digestWhole = (text: string) => digestOf('body', headers['content-type'] ?? '', text)
  const keyOfWhole = (key: string) => ({ kind, key, body: key, event: undefined, content: key, insertId: undefined })
  if (body.size === 0) return keyOfWhole(digestOf())
  const json = live.requestBody ?? parseBody(body)
  if (!isIdempotent || !isObject(json)) return keyOfWhole(digestWhole(canonicalText(json, body)))
  const { [insertIdField]: insertId, ...event } = json
  const whole = digestWhole(canonicalJson(json))
  const untimed = Object.entries(event).filter(([, value]) => !isTime(value))
  const content = digestOf('content', canonicalJson(Object.fromEntries(untimed)))
  if (typeof insertId !== 'string') return { ...keyOfWhole(whole), content }
  return {
    kind,
    key: digestOf('id', insertId),
    body: whole,
    event: event[eventTimeField] === undefined ? undefined : digestOf('event', canonicalJson(event)),
    content,
    insertId,
  }
}

const isTime = (value: Json) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

function canonicalText(json: Json | undefined, { latin1 = '', size }: RecordedBody): string {
  return json === undefined ? `${size} ${new TextDecoder().decode(fromLatin1(latin1))}` : canonicalJson(json)
}

/** Digests the parts, so that a key is short for any body, and holds no token in clear text. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
