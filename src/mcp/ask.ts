import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Control } from '../control/control.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../core/json.ts'
import type { SimRequest } from '../exchange/request.ts'

/** A question to the control plane, at a path below `/__sim`. Default of the method: GET. */
export interface ControlQuestion {
  readonly method?: string
  readonly path: string
  readonly query?: Readonly<Record<string, Json | undefined>>
  readonly body?: Json
}

/** The answer of the control plane, whose JSON is an object. */
export interface ControlAnswer {
  readonly status: number
  readonly json: JsonObject
}

/** Asks the control plane, over HTTP or in the process. */
export type AskControl = (question: ControlQuestion) => Promise<ControlAnswer>

/** Creates questions to the control plane of this process, with the host and the token of a request. */
export function askInProcess(answer: Control['answer'], source: SimRequest, clientGone: AbortSignal): AskControl {
  const { host = '', authorization } = source.headers
  const caller = authorization === undefined ? { host } : { host, authorization }
  return async ({ method = 'GET', path, query, body }) => {
    const bytes = Buffer.from(JSON.stringify(body) ?? '')
    const { status, ...reply } = await answer(
      {
        ...{ ...source, method, path: `/__sim${path}`, query: writeQuery(query) },
        headers: body === undefined ? caller : { ...caller, ...jsonType },
        body: body === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes },
      },
      clientGone,
    )
    const chunks = reply.stream?.chunks(clientGone) ?? [reply.body?.bytes() ?? '']
    return { status, json: readAnswer(await text(Readable.from(chunks))) }
  }
}

/** Creates questions to `http://127.0.0.1:4010/__sim`, for example. `token` is that of `--control-token`. */
export function askByFetch(controlUrl: string, token: string | undefined): AskControl {
  const caller = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return async ({ method = 'GET', path, query, body }) => {
    const sent = body === undefined ? {} : { headers: { ...caller, ...jsonType }, body: JSON.stringify(body) }
    try {
      const response = await fetch(`${controlUrl}${path}?${writeQuery(query)}`, { method, headers: caller, ...sent })
      return { status: response.status, json: readAnswer(await response.text()) }
    } catch {
      const error = `No simulator answers at ${controlUrl}. Start it (npx convsim), then try again.`
      return { status: 503, json: { error } }
    }
  }
}

const jsonType = { 'content-type': 'application/json' }

function writeQuery(query: ControlQuestion['query'] = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams(Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))).toString()
}

function readAnswer(text: string): JsonObject {
  const answer = parseJson(text)
  return isObject(answer) ? answer : { error: `The simulator answered no JSON object: ${text.slice(0, 200)}` }
}
