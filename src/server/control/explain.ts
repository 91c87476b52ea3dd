import type { Json } from '../../base/core/json.ts'
import { type CorsOrigins, isAllowedOrigin } from '../../base/core/origins.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { controlAliases, listDocumentedPaths, toRoutePath } from '../../service/exchange/control-aliases.ts'
import { createRequest, type SimRequest } from '../../service/exchange/request.ts'
import { listReasons } from '../journal/entry-json.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { ControlError, type Explanation, type HandlerGroup } from './handler.ts'

interface RequestDescription {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json
}

export const explainHandlers: HandlerGroup = ({ explain, served, pages }) => ({
  async explain({ body, sandbox }) {
    const description = body as unknown as RequestDescription // validated against the control document
    const request = toSimRequest(description, sandbox)
    const { contract } = served()
    if (!bypassesPipeline(request, pages.cors, contract)) return explanationToJson(await explain(request))
    const { method, path } = request
    const problem = `The simulator handles ${method} ${path} itself, so the simulated service does not get the request.`
    return new ControlError(400, `${problem} The service's paths begin with ${contract.basePath}/.`)
  },
})

/** Returns true for a request that never reaches the pipeline, such as a preflight or a control plane request. */
function bypassesPipeline({ method, path, headers }: SimRequest, origins: CorsOrigins, contract: Contract): boolean {
  if (/^\/__sim(\/|$)/i.test(path)) return true
  const { origin } = headers
  if (method === 'OPTIONS') return origin !== undefined && isAllowedOrigin(origins, origin)
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead) return false
  const routePath = toRoutePath(path)
  if (listDocumentedPaths(contract).has(routePath)) return false
  return controlAliases.has(routePath) || /^\/(favicon\.ico|robots\.txt)?$/.test(routePath)
}

function toSimRequest({ method, path: target, headers = {}, body }: RequestDescription, sandbox: string): SimRequest {
  const lowerCaseHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const isJson = body !== undefined && typeof body !== 'string'
  const text = isJson ? JSON.stringify(body) : body
  return createRequest({
    id: 'explained',
    method: method.toUpperCase(),
    target,
    headers: {
      host: 'localhost', // as if sent by a client on this machine
      ...(isJson && { 'content-type': 'application/json' }),
      ...(sandbox !== defaultSandbox && { 'x-sim-sandbox': sandbox }),
      ...lowerCaseHeaders,
    },
    body: text === undefined || text === '' ? { kind: 'absent' } : { kind: 'bytes', bytes: Buffer.from(text) },
  })
}

function explanationToJson({ outgoing, entry }: Explanation) {
  const { operation, sandbox, stage, rule, ownToken, scenarios, damage, violations, responseViolations, advice } = entry
  const { reply, delivery } = outgoing
  return {
    operation,
    sandbox,
    stage,
    rule: rule && { scope: rule.scope, index: rule.index },
    why: listReasons(entry),
    response: {
      status: reply.status,
      headers: entry.response.headers,
      body: redactJson(reply.body?.value ?? null, ownToken),
      origin: reply.origin,
    },
    delayMs: delivery.delayMs,
    delivery: delivery.mode.kind,
    ...{ scenarios, damage, violations, responseViolations, advice },
  }
}
