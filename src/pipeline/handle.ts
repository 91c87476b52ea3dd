import type { Contract } from '../contract/contract.ts'
import type { Fallback } from '../contract/fallback.ts'
import { jsonBody } from '../exchange/body.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { OperationHandlers } from '../operations/index.ts'
import { type Exchange, operationOf, rawParametersOf } from './exchange.ts'
import { operationContext } from './operation-context.ts'

/** Carries out the operation. It is the last stage and always replies. */
export function handle(contract: Contract, handlers: OperationHandlers, fallback: Fallback | undefined) {
  return async function handle(exchange: Exchange): Promise<Reply> {
    const operation = operationOf(exchange)
    const handler = handlers.get(operation.id)
    if (!handler) return replyFromDocument(exchange, contract, fallback)
    const body = await handler.handle(operationContext(exchange))
    return { status: operation.successStatus, headers: {}, body, origin: 'contract' }
  }
}

/** Replies to an operation without a handler, which an edited contract added, from the contract's examples and schemas. */
async function replyFromDocument(
  exchange: Exchange,
  { basePath }: Contract,
  fallback: Fallback | undefined,
): Promise<Reply> {
  const operation = operationOf(exchange)
  if (!fallback) throw new Error(`no handler and no fallback for ${operation.id}`)
  const { query, header } = rawParametersOf(exchange)
  const path = exchange.path.slice(basePath.length)
  const reply = await fallback.reply({
    method: operation.method,
    path,
    query,
    headers: header,
    body: exchange.body,
  })
  if (!reply.ok) return refusals.ownFault(`Prism finds no answer in the document: ${reply.error}`)
  const { status, body } = reply.value
  return { status, headers: {}, body: body === undefined ? undefined : jsonBody(body), origin: 'contract' }
}
