import type { Contract } from '../contract/contract.ts'
import type { Fallback } from '../contract/fallback.ts'
import { type Awaitable, andThen } from '../core/awaitable.ts'
import { type Exchange, operationOf, type Reply } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Handler, OperationResult } from '../operations/handler.ts'
import { rawParametersOf } from './sent.ts'

/** Does what the operation does. The last stage: it always answers. */
export function handle(
  contract: Contract,
  handlers: ReadonlyMap<string, Handler>,
  fallback: Fallback | undefined,
) {
  return function handle(exchange: Exchange): Awaitable<Reply> {
    const operation = operationOf(exchange)
    const handler = handlers.get(operation.id)
    if (!handler) return answerFromDocument(exchange, contract, fallback)
    const replyWith = ({ body, cached }: OperationResult): Reply => ({
      status: operation.successStatus,
      headers: {},
      body,
      origin: 'contract',
      cached,
    })
    return andThen(handler.handle(exchange), replyWith)
  }
}

/** An operation that somebody added to the document: answered from its examples and schemas. */
async function answerFromDocument(
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
  return { status, headers: {}, body, origin: 'contract' }
}
