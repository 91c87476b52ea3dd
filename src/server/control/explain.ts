import type { Json } from '../../base/core/json.ts'
import { type CorsOrigins, isCorsOrigin } from '../../base/core/origins.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { controlAliases, listDocumentedPaths, toRoutePath } from '../../service/exchange/control-aliases.ts'
import { createRequest, type SimRequest } from '../../service/exchange/request.ts'
import { listReasons } from '../journal/entry-json.ts'
import { defaultSandbox, isSandboxName, readSandboxOfBaggage } from '../sandboxes/sandboxes.ts'
import { ControlError, type Explanation, type HandlerGroup } from './handler.ts'

interface RequestDescription {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json
}

export const explainHandlers: HandlerGroup = ({ explain, served, pages }) => {
  return {
    async explain({ body, sandbox }) {
      const description = body as unknown as RequestDescription // proved by the control document
      const named = findOtherSandbox(toSimRequest(description, defaultSandbox), sandbox)
      if (named !== undefined)
        return new ControlError(400, `?sandbox= names "${sandbox}", and the request names "${named}".`)
      const request = toSimRequest(description, sandbox)
      const { contract } = served()
      if (!isHandledByEdge(request, pages.cors, contract)) return explanationToJson(await explain(request))
      const { method, path } = request
      const problem = `${method} ${path} is not a request to the simulated service: it never meets the service.`
      return new ControlError(400, `${problem} The service is under ${contract.basePath}.`)
    },
  }
}

/** Finds a sandbox that the request names by header, key, path or baggage beside another one of the query, if any. */
function findOtherSandbox({ headers, path }: SimRequest, sandbox: string): string | undefined {
  if (sandbox === defaultSandbox) return undefined
  const [, ofKey] = /^bearer .*~([^~]*)$/i.exec(headers['authorization'] ?? '') ?? []
  const [, ofPath] = /^\/_s\/([^/]*)\//.exec(path) ?? []
  // The text behind a tilde may be a part of a secret key, which no refusal repeats.
  const names = [headers['x-sim-sandbox'], ofPath, ofKey].filter((name) => name !== undefined && isSandboxName(name))
  const ofBaggage = readSandboxOfBaggage(headers['baggage'])
  if (names.length === 0 && ofBaggage.ok) names.push(ofBaggage.value)
  return names.find((name) => name !== undefined && name !== sandbox)
}

/** Returns true for a request that never reaches the pipeline: control plane, root, aliases, browsers' files, CORS. */
function isHandledByEdge({ method, path, headers }: SimRequest, corsOrigins: CorsOrigins, contract: Contract): boolean {
  if (/^\/__sim(\/|$)/i.test(path)) return true
  const { origin } = headers
  if (method === 'OPTIONS') return origin !== undefined && isCorsOrigin(corsOrigins, origin)
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead) return false
  const own = toRoutePath(path)
  if (listDocumentedPaths(contract).has(own)) return false
  return controlAliases.has(own) || /^\/(favicon\.ico|robots\.txt)?$/.test(own)
}

/** Converts a description to a request. A `sandbox` of the query stands for the header; the default one for none. */
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
      host: 'localhost', // as a client of this machine sends it
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
    rule,
    why: listReasons(entry),
    response: {
      status: reply.status,
      headers: entry.response.headers,
      body: redactJson(reply.body?.value ?? null, ownToken),
      origin: reply.origin,
    },
    delayMs: delivery.delayMs,
    delivery: delivery.mode.kind,
    scenarios,
    damage,
    violations,
    responseViolations,
    advice,
  }
}
