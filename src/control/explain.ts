import type { Json, JsonObject } from '../core/json.ts'
import type { SimRequest } from '../exchange/exchange.ts'
import { violationsToJson } from '../journal/entry-json.ts'
import { redactJson } from '../journal/redact.ts'
import { ControlError, type ControlHandler } from './control.ts'
import type { Explained, Seen } from './seen.ts'

/** A request as `POST explain` takes it. */
interface Described {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json
}

/** `POST explain`: what would become of a request, without any effect. */
export function explainHandlers({ explain, contract, cors }: Seen): Record<string, ControlHandler> {
  return {
    async explain({ body }) {
      const described = body as unknown as Described // proved by the control document
      const request = requestOf(described)
      if (!isAnsweredByEdge(request, cors)) return shown(await explain(request))
      const { method, path } = request
      const problem = `${method} ${path} is not a request to the simulated service: it never meets the service.`
      return new ControlError(400, `${problem} The service is under ${contract.basePath}.`)
    },
  }
}

/** What the edge answers or hands to the controls: the root, health checks, preflights. None of it is journaled. */
function isAnsweredByEdge({ method, path, headers }: SimRequest, cors: boolean): boolean {
  if (/^\/__(sim|admin)(\/|$)/i.test(path)) return true
  if (method === 'OPTIONS') return cors && headers['origin'] !== undefined
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && /^\/(healthz\/?|_x-steady\/health\/?)?$/i.test(path)
}

function requestOf({ method, path: target, headers = {}, body }: Described): SimRequest {
  const [path = '', ...query] = target.split('?')
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const isJson = body !== undefined && typeof body !== 'string'
  const text = isJson ? JSON.stringify(body) : body
  return {
    id: 'explained',
    at: 0,
    elapsed: () => 0,
    method: method.toUpperCase(),
    path,
    query: query.join('?'),
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...lower },
    body:
      text === undefined || text === '' ? { kind: 'absent' } : { kind: 'bytes', bytes: Buffer.from(text) },
  }
}

function shown({ trace, outgoing, entry }: Explained): JsonObject {
  const { reply, delivery } = outgoing
  const { stage, rule, notes } = trace
  return {
    ...(entry.operation !== undefined && { operation: entry.operation }),
    sandbox: entry.sandbox,
    stage,
    ...(rule && { rule: { ...rule } }),
    why: notes,
    answer: {
      status: reply.status,
      headers: { ...reply.headers },
      body: redactJson(reply.body ?? null),
      origin: reply.origin,
    },
    delayMs: delivery.delayMs,
    delivery: delivery.mode.kind,
    scenarios: [...entry.scenarios],
    damage: [...entry.damage],
    violations: violationsToJson(entry.violations),
    answerViolations: violationsToJson(entry.answerViolations),
    advice: violationsToJson(entry.advice),
  }
}
