import { createHash } from 'node:crypto'
import type { Contract } from '../contract/contract.ts'
import { canonicalJson, isObject, type Json } from '../core/json.ts'
import { readJson } from '../core/strict-json.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'

/** What makes two requests the same call. */
export interface CallKey {
  /** What every other try has, too, and is cheap to tell: method, path and query. */
  readonly kind: string
  /** Method, path, query, caller, steering headers and the body without its `insertId`. */
  readonly sameBody: string
  /** The same with the `insertId` in place of the body; undefined where the body has none. */
  readonly sameId: string | undefined
  /** The body's idempotency key; undefined where it has none, or where the operation knows of none. */
  readonly insertId: string | undefined
}

/** Requests with other values of these are another test's, though the call be the same. */
const steering = ['x-sim-scenario', 'x-sim-sequence', 'x-sim-seed', 'prefer', 'content-type']

/** The field that makes an event safe to send again (service.md, "Event"). */
const idempotencyKey = 'insertId'

/** The operations that know an idempotency key, by id. */
export function idempotentOperations({ operations }: Pick<Contract, 'operations'>): ReadonlySet<string> {
  const knowing = operations.filter((operation) => {
    const properties = operation.bodySchema()?.['properties']
    return isObject(properties) && Object.hasOwn(properties, idempotencyKey)
  })
  return new Set(knowing.map(({ id }) => id))
}

/** The kind of call that a request is. */
export function kindOf({ request: { method, path, query } }: JournalEntry): string {
  return `${method} ${path}?${query}`
}

/** Reads what call a request is. `isIdempotent`: whether its operation knows an idempotency key. */
export function callKeyOf(entry: JournalEntry, whole: LiveExchange, isIdempotent: boolean): CallKey {
  const { headers, body } = entry.request
  const kind = kindOf(entry)
  const base = [kind, whole.token ?? '', ...steering.map((name) => headers[name] ?? '')]
  if (body.size === 0) return { kind, sameBody: digest(base), sameId: undefined, insertId: undefined }
  const sent = whole.requestBody ?? jsonIn(body)
  const { [idempotencyKey]: id, ...rest } = isIdempotent && isObject(sent) ? sent : {}
  const insertId = typeof id === 'string' ? id : undefined
  const text = insertId === undefined ? textOf(sent, body) : canonicalJson(rest)
  return {
    kind,
    sameBody: digest([...base, 'body', text]),
    sameId: insertId === undefined ? undefined : digest([...base, 'id', insertId]),
    insertId,
  }
}

/** A body that nobody needed to read, where all of it was kept. */
function jsonIn({ bytes, size }: JournalEntry['request']['body']): Json | undefined {
  if (!bytes || bytes.length < size) return undefined
  const read = readJson(bytes)
  return read.ok ? read.value : undefined
}

function textOf(sent: Json | undefined, { bytes, size }: JournalEntry['request']['body']): string {
  return sent === undefined ? `${size} ${new TextDecoder().decode(bytes)}` : canonicalJson(sent)
}

/** Short, however long the body, and without the token. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
