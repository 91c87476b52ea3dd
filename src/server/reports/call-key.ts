import { createHash } from 'node:crypto'
import { fromLatin1 } from '../../base/core/bytes.ts'
import { canonicalJson, isObject, type Json, type JsonObject } from '../../base/core/json.ts'
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
  const base = [kind, live.token ?? '']
  if (body.size === 0) return createWholeKey(kind, digest(base))
  const json = live.requestBody ?? parseBody(body)
  const whole = (text: string) => digest([...base, 'body', headers['content-type'] ?? '', text])
  if (!isIdempotent || !isObject(json)) return createWholeKey(kind, whole(canonicalText(json, body)))
  const members = listJsonMembers(json)
  const join = (some: readonly Member[]) => some.map(({ text }) => text).join()
  const event = members.filter(({ name }) => name !== insertIdField)
  const insertId = json[insertIdField]
  const hasId = typeof insertId === 'string'
  const isDated = hasId && json[eventTimeField] !== undefined
  const all = whole(join(members))
  return {
    kind,
    key: hasId ? digest([...base, 'id', insertId]) : all,
    body: all,
    event: isDated ? digest([...base, 'event', join(event)]) : undefined,
    content: digest([...base, 'content', join(event.filter((member) => !member.isTime))]),
    insertId: hasId ? insertId : undefined,
  }
}

/** A member of a body. Its text is canonical, and short, since each of the body's digests reads it. */
interface Member {
  readonly name: string
  readonly isTime: boolean
  readonly text: string
}

/** The length from which the text of a value is replaced by its digest. */
const longText = 1000

function listJsonMembers(json: JsonObject): readonly Member[] {
  return Object.keys(json)
    .sort()
    .map((name) => {
      const value = json[name] ?? null
      const text = canonicalJson(value)
      const short = text.length < longText ? text : digest([text])
      return { name, isTime: isTime(value), text: `${JSON.stringify(name)}:${short}` }
    })
}

/** Creates the key of a call whose attempts have the same body. */
function createWholeKey(kind: string, whole: string): CallKey {
  return { kind, key: whole, body: whole, event: undefined, content: whole, insertId: undefined }
}

const isTime = (value: Json) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

function canonicalText(json: Json | undefined, { latin1 = '', size }: RecordedBody): string {
  return json === undefined ? `${size} ${new TextDecoder().decode(fromLatin1(latin1))}` : canonicalJson(json)
}

/** Digests the parts, so that a key is short for any body, and holds no token in clear text. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
