import { createHash } from 'node:crypto'
import type { Contract } from '../contract/contract.ts'
import { canonicalJson, isObject, type Json } from '../core/json.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import { parseBody } from '../journal/entry-json.ts'
import type { LiveExchange } from '../journal/journal.ts'

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

/** Returns the ids of the operations whose body has an idempotency key. */
export function findIdempotentOperations({ operations }: Pick<Contract, 'operations'>): ReadonlySet<string> {
  const idempotent = operations.filter((operation) => {
    const properties = operation.bodySchema()?.['properties']
    return isObject(properties) && Object.hasOwn(properties, insertIdField)
  })
  return new Set(idempotent.map(({ id }) => id))
}

/** The parts of a request that all attempts of a call share. */
export type RequestLine = Pick<JournalEntry['request'], 'method' | 'path' | 'query'>

/** Returns the kind of a request's call: `POST /v1/events?`. */
export function callKind({ request: { method, path, query } }: { readonly request: RequestLine }): string {
  return `${method} ${path}?${query}`
}

/** The parts of an exchange that tell calls apart and that an entry does not store. */
export type LiveCall = Pick<LiveExchange, 'requestBody' | 'token'>

/** Creates the call key of a request. `isIdempotent`: true where the body of its operation has an idempotency key. */
export function createCallKey(entry: JournalEntry, live: LiveCall, isIdempotent: boolean): CallKey {
  const { headers, body } = entry.request
  const kind = callKind(entry)
  const base = [kind, live.token ?? '']
  if (body.size === 0) return createWholeKey(kind, digest(base))
  const json = live.requestBody ?? parseBody(body)
  const whole = digest([...base, 'body', headers['content-type'] ?? '', canonicalText(json, body)])
  if (!isIdempotent || !isObject(json)) return createWholeKey(kind, whole)
  const { [insertIdField]: id, ...event } = json
  const insertId = typeof id === 'string' ? id : undefined
  const isDated = insertId !== undefined && event[eventTimeField] !== undefined
  const content = Object.fromEntries(Object.entries(event).filter(([, value]) => !isTime(value)))
  return {
    kind,
    key: insertId === undefined ? whole : digest([...base, 'id', insertId]),
    body: whole,
    event: isDated ? digest([...base, 'event', canonicalJson(event)]) : undefined,
    content: digest([...base, 'content', canonicalJson(content)]),
    insertId,
  }
}

/** Creates the key of a call whose attempts have the same body. */
function createWholeKey(kind: string, whole: string): CallKey {
  return { kind, key: whole, body: whole, event: undefined, content: whole, insertId: undefined }
}

const isTime = (value: Json) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

function canonicalText(json: Json | undefined, { bytes, size }: RecordedBody): string {
  return json === undefined ? `${size} ${new TextDecoder().decode(bytes)}` : canonicalJson(json)
}

/** Digests the parts, so that a key is short for any body, and holds no token in clear text. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
