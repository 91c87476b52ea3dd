import { refusals } from '../exchange/refusals.ts'
import type { Key } from '../fixtures/fixtures.ts'
import { operationOf, type RequestStage } from './exchange.ts'

/** Identifies the caller by the bearer token. docs/service.md, 2.2: every operation requires one; how tokens are issued is not described. */
export function authenticate(keys: readonly Key[], planOfUnknownKeys: string): RequestStage {
  const magicKeys = new Map(keys.map((key) => [key.token, key]))
  return function authenticate(exchange) {
    const operation = operationOf(exchange)
    if (!operation.secured) return undefined
    const { bearer } = exchange
    if (!bearer.ok) return refusals.unauthorized(operation, bearer.problem)
    const key = magicKeys.get(bearer.token)
    exchange.caller = { token: bearer.token, plan: key?.plan ?? planOfUnknownKeys, scenario: key?.scenario }
    return undefined
  }
}
