import type { Exchange, Reply } from '../exchange.ts'
import type { Log } from '../log.ts'

/** One line for every exchange, refused or not. */
export function record(log: Log) {
  return function record(
    { request, operation, sandbox, violations, advice, scenarios }: Exchange,
    reply: Reply,
  ): Reply {
    const fields = {
      requestId: request.id,
      method: request.method,
      path: request.path.slice(0, 200),
      status: reply.status,
      origin: reply.origin,
      sandbox: sandbox.name,
      operation: operation?.id,
      scenarios: scenarios.length > 0 ? scenarios.map(({ text }) => text) : undefined,
      violations: violations.length > 0 ? violations : undefined,
      advice: advice.length > 0 ? advice : undefined,
    }
    log.info(fields, 'answered')
    return reply
  }
}
