import type { Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { type MatchSubject, modelsIn, productsOf } from '../../service/exchange/match.ts'
import { isComplete, type JournalEntry, storedBytes } from './entry.ts'
import { parseBody } from './entry-json.ts'

/** The inputs that tell the models and products of a request, which an entry does not store. */
export interface MatchInputs {
  readonly contract: Pick<Contract, 'match'>
  /** The ids of each model's products by the model's id; all in lower case. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
}

/** Returns the parts of an entry that conditions compare. A path matches with or without `/_s/NAME`. */
export function toMatchSubject(entry: JournalEntry, inputs?: MatchInputs): MatchSubject {
  const { operation, request, response } = entry
  const { method, path, query, headers } = request
  const ownPath = path.replace(/^\/_s\/[^/]*(?=\/)/, '')
  const body = once(() => parseBody(request.body))
  const models = () => {
    const match = inputs?.contract.match(method, ownPath)
    return match?.kind === 'operation' ? modelsIn(match.path) : []
  }
  return {
    operation,
    method,
    paths: [ownPath, path],
    query,
    headers,
    models,
    products: () => productsOf(body(), models(), inputs?.productsOfModel ?? new Map()),
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
