import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import type { Control } from '../../server/control/control.ts'
import type { SimRequest } from '../../service/exchange/request.ts'

/** A request to the control plane. */
export interface ControlCall {
  /** The method; default `GET`. */
  readonly method?: string
  /** The path below `/__sim`: `/report`. */
  readonly path: string
  readonly query?: Readonly<Record<string, Json | undefined>>
  readonly body?: Json
}

/** The response of the control plane, whose body is a JSON object. */
export interface ControlResponse {
  readonly status: number
  readonly json: JsonObject
}

/** Sends a request to the control plane, over HTTP or within the process. */
export type AskControl = (question: ControlCall) => Promise<ControlResponse>

/** Creates a function that asks the control plane of this process, with the host and the token of `source`. */
export function askInProcess(handle: Control['handle'], source: SimRequest, clientGone: AbortSignal): AskControl {
  const { host = '', authorization } = source.headers
  const callerHeaders = authorization === undefined ? { host } : { host, authorization }
  return async ({ method = 'GET', path, query, body }) => {
    const bytes = Buffer.from(JSON.stringify(body) ?? '')
    const { status, ...reply } = await handle(
      {
        ...{ ...source, method, path: `/__sim${path}`, query: writeQuery(query) },
        headers: body === undefined ? callerHeaders : { ...callerHeaders, ...jsonType },
        body: body === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes },
      },
      clientGone,
    )
    const chunks = reply.stream?.chunks(clientGone) ?? [reply.body?.bytes() ?? '']
    return { status, json: parseResponse(await text(Readable.from(chunks))) }
  }
}

/** Creates a function that asks the control plane at a URL such as `http://127.0.0.1:4010/__sim` over HTTP. */
export function askByFetch(controlUrl: string, controlToken: string | undefined): AskControl {
  const headers = controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` }
  return async ({ method = 'GET', path, query, body }) => {
    const sent = body === undefined ? {} : { headers: { ...headers, ...jsonType }, body: JSON.stringify(body) }
    try {
      const response = await fetch(`${controlUrl}${path}?${writeQuery(query)}`, { method, headers, ...sent })
      return { status: response.status, json: parseResponse(await response.text()) }
    } catch {
      const error = `No simulator responds at ${controlUrl}. Start it (npx convsim), then try again.`
      return { status: 503, json: { error } }
    }
  }
}

const jsonType = { 'content-type': 'application/json' }

function writeQuery(query: ControlCall['query'] = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams(Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))).toString()
}

function parseResponse(text: string): JsonObject {
  const response = parseJson(text)
  return isObject(response) ? response : { error: `The simulator returned no JSON object: ${text.slice(0, 200)}` }
}
