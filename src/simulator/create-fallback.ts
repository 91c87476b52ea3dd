import type { Contract } from '../contract/contract.ts'
import { createFallback, type Fallback } from '../contract/fallback.ts'
import type { Log } from '../core/log.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { declarations } from '../operations/index.ts'

/** Creates the replies (by Prism) for operations without a handler; undefined where every operation has one. */
export async function createFallbackIfNeeded(
  contract: Contract,
  log: Log,
): Promise<Result<Fallback | undefined, Findings>> {
  const handled = new Set(declarations.map(({ operationId }) => operationId))
  const others = contract.operations.map(({ id }) => id).filter((id) => !handled.has(id))
  if (others.length === 0) return success(undefined)
  const fallback = await createFallback(contract)
  if (fallback.ok) {
    log.info({ operations: others }, 'answered from the examples and schemas of the contract, by Prism')
    return fallback
  }
  const message = `Operations without a handler are answered by Prism: ${others.join(', ')}. ${fallback.error}`
  return failure([{ severity: 'error', place: contract.file, message }])
}
