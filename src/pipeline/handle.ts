import type { Fallback } from '../contract/fallback.ts'
import { type Exchange, operationOf, type Reply } from '../exchange.ts'
import type { Handler } from '../operations/handler.ts'
import { refusals } from '../refusals.ts'

/** Does what the operation does. The last stage: it always answers. */
export function handle(handlers: ReadonlyMap<string, Handler>, fallback: Fallback | undefined) {
  return async function handle(exchange: Exchange): Promise<Reply> {
    const operation = operationOf(exchange)
    const handler = handlers.get(operation.id)
    if (!handler) return answerFromDocument(exchange, fallback)
    const body = await handler.handle(exchange)
    return { status: operation.successStatus, headers: {}, body, origin: 'contract' }
  }
}

/** An operation that somebody added to the document: answered from its examples and schemas. */
async function answerFromDocument(exchange: Exchange, fallback: Fallback | undefined): Promise<Reply> {
  if (!fallback) throw new Error(`no handler and no fallback for ${operationOf(exchange).id}`)
  const { request, path } = exchange
  const answer = await fallback.answer({ ...request, path, body: exchange.body })
  if ('problem' in answer) return refusals.ownFault(answer.problem)
  return { ...answer, origin: 'contract' }
}
