import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { describeKnown } from '../../base/core/text.ts'
import type { Control } from '../../server/control/control.ts'
import type { SimRequest } from '../../service/exchange/request.ts'

/** A tool for coding agents: a thin wrapper around control plane calls, with a short result. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** The accepted parameters of each operation, separated by spaces. All request body members are also accepted. */
  readonly input: Readonly<Record<string, string>>
  /** The schemas of parameters that belong to the tool and not to an operation. */
  readonly ownInput?: Readonly<Record<string, JsonObject>>
  /** Calls the simulator at `origin`, whose service has the base path `basePath`. Throws a `ToolError` on failure. */
  readonly run: (
    args: JsonObject,
    simulator: { readonly send: SendCall; readonly origin: string; readonly basePath: string },
  ) => Promise<Json>
}

/** The error for a call that failed or has an invalid argument. The agent gets the error's message. */
export class ToolError extends Error {}

interface ControlCall {
  /** Default: `GET`. */
  readonly method?: string
  /** The path below `/__sim`, such as `/report`. */
  readonly path: string
  readonly query?: Readonly<Record<string, Json | undefined>>
  readonly body?: Json
}

interface ControlResponse {
  readonly status: number
  readonly json: JsonObject
}

export type SendCall = (call: ControlCall) => Promise<ControlResponse>

/** Creates a function that calls the control plane of this process, with the host and the token of `source`. */
export function sendInProcess(handle: Control['handle'], source: SimRequest, exchangeEnded: AbortSignal): SendCall {
  const { host = '', authorization } = source.headers
  const callerHeaders = authorization === undefined ? { host } : { host, authorization }
  return async ({ method = 'GET', path, query, body }) => {
    const request: SimRequest = {
      ...source,
      method,
      path: `/__sim${path}`,
      query: formatQuery(query),
      headers: body === undefined ? callerHeaders : { ...callerHeaders, ...jsonType },
      body: body === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes: Buffer.from(JSON.stringify(body)) },
    }
    const { status, stream, body: replyBody } = await handle(request, exchangeEnded)
    const chunks = stream?.chunks(exchangeEnded) ?? [replyBody?.bytes() ?? '']
    return { status, json: parseResponse(await text(Readable.from(chunks))) }
  }
}

/** Creates a function that calls the control plane at a URL such as `http://127.0.0.1:4010/__sim` over HTTP. */
export function sendByFetch(controlUrl: string, controlToken: string | undefined): SendCall {
  const headers = controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` }
  return async ({ method = 'GET', path, query, body }) => {
    const sent = body === undefined ? {} : { headers: { ...headers, ...jsonType }, body: JSON.stringify(body) }
    try {
      const response = await fetch(`${controlUrl}${path}?${formatQuery(query)}`, { method, headers, ...sent })
      return { status: response.status, json: parseResponse(await response.text()) }
    } catch {
      const error = `No simulator is responding at ${controlUrl}. Start one (npx convsim), then try again.`
      return { status: 503, json: { error } }
    }
  }
}

const jsonType = { 'content-type': 'application/json' }

function formatQuery(query: ControlCall['query'] = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams(Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))).toString()
}

function parseResponse(text: string): JsonObject {
  const response = parseJson(text)
  return isObject(response) ? response : { error: `The simulator did not return a JSON object: ${text.slice(0, 200)}` }
}

export const sendOrThrow = async (send: SendCall, call: ControlCall, next?: string): Promise<JsonObject> =>
  readOrThrow(await send(call), next)

/** Returns a response's JSON. Throws for any error but 417 (run failed). `next`: advice for errors other than 401. */
export function readOrThrow({ status, json }: ControlResponse, next = ''): JsonObject {
  if (status < 400 || status === 417) return json
  const advice = status === 401 ? 'Pass the token to convsim mcp with --control-token.' : next
  throw new ToolError(`${json['error'] ?? `The simulator returned ${status}.`} ${advice}`.trim())
}

export const objectOf = (json: JsonObject, name: string): JsonObject => (isObject(json[name]) ? json[name] : {})

export function listOf(json: Json | undefined, name: string): readonly JsonObject[] {
  const list = isObject(json) ? json[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

export const pageSize = 20

export const cursorArg = { type: 'integer', minimum: 0, description: 'The `next` value of the previous page.' }

/** Returns the page that begins at `cursor`, as the member `name`, with the total and the next cursor, if any. */
export function pageOf(name: string, list: readonly Json[], cursor: Json | undefined): JsonObject {
  const start = Number(cursor ?? 0)
  if (!Number.isSafeInteger(start) || start < 0)
    throw new ToolError(
      `"cursor" must be the "next" value of the previous page, or be omitted; got ${JSON.stringify(cursor)}.`,
    )
  const end = start + pageSize
  return { [name]: list.slice(start, end), total: list.length, ...(end < list.length && { next: end }) }
}

/** Returns the members except for those that are undefined, null, an empty array or an empty string. */
export function compact(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => `${[value]}` !== '')) as JsonObject
}

export const pick = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  compact(Object.fromEntries(names.map((name) => [name, object[name]])))

export function refuseUnknownOperation(operation: Json | undefined, known: readonly string[]): void {
  if (operation !== undefined && !known.includes(String(operation)))
    throw new ToolError(`Unknown operation "${operation}". ${describeKnown(String(operation), known)}`)
}
