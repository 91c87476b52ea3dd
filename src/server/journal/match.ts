import type { Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { MatchSubject } from '../../service/exchange/match.ts'
import { isComplete, storedBytes } from './capture-body.ts'
import type { JournalEntry } from './entry.ts'
import { parseBody } from './entry-json.ts'

/** Functions that return the models and products of a request, which an entry does not store. Ids are in lower case. */
export interface RequestSubjects {
  readonly models: (entry: JournalEntry) => readonly string[]
  readonly products: (entry: JournalEntry, body: Json | undefined) => readonly string[]
}

/** Returns the parts of an entry that conditions compare. A path matches with or without `/_s/NAME`. */
export function toMatchSubject(entry: JournalEntry, subjects: RequestSubjects): MatchSubject {
  const { operation, request, response } = entry
  const { method, path, query, headers } = request
  const body = once(() => parseBody(request.body))
  return {
    operation,
    method,
    paths: [stripSandboxPath(path), path],
    query,
    headers,
    models: () => subjects.models(entry),
    products: () => subjects.products(entry, body()),
    body,
    response: {
      status: response.status,
      origin: response.origin,
      violations: entry.violations.length > 0,
      advice: entry.advice.length > 0,
      damage: entry.damage.length > 0,
    },
    isRedacted,
    incompleteBody: isComplete(request.body)
      ? undefined
      : `(${storedBytes(request.body)} bytes of ${request.body.size} are kept)`,
  }
}

const isRedacted = (value: Json) => typeof value === 'string' && value.includes(redacted)

/** Removes the base path that names a sandbox: `/_s/worker-3/v1/events` becomes `/v1/events`. */
export function stripSandboxPath(path: string): string {
  return path.replace(/^\/_s\/[^/]*(?=\/)/, '')
}
