import { operationOf, type Stage } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Key } from '../fixtures/fixtures.ts'

/** Who asks. service.md, "Authentication": every operation wants a bearer token; how tokens are issued is not shown. */
export function authenticate(keys: readonly Key[], planOfUnknownKeys: string): Stage {
  const magic = new Map(keys.map((key) => [key.token, key]))
  return function authenticate(exchange) {
    const operation = operationOf(exchange)
    if (!operation.secured) return undefined
    const { bearer } = exchange
    if (!bearer.ok) return refusals.unauthorized(operation, bearer.problem)
    const key = magic.get(bearer.token)
    exchange.caller = { token: bearer.token, plan: key?.plan ?? planOfUnknownKeys, scenario: key?.scenario }
    return undefined
  }
}
