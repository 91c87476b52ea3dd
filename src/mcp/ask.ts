import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'

/** A question to the control plane. */
export interface ControlQuestion {
  /** Default: GET. */
  readonly method?: string
  /** The path below `/__sim`: `/requests`. */
  readonly path: string
  /** Members that are undefined are not sent. */
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

/** Answers a request to the control plane, as `Control.answer` does. */
export type AnswerControl = (request: SimRequest, clientGone: AbortSignal) => Promise<Reply>

/** Creates the questions that a request to the control plane asks in its own process, with its host and its token. */
export function askInProcess(answer: AnswerControl, source: SimRequest, clientGone: AbortSignal): AskControl {
  const { host = '', authorization } = source.headers
  return async ({ method = 'GET', path, query, body }) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const request: SimRequest = {
      ...source,
      method,
      path: `/__sim${path}`,
      query: writeQuery(query),
      headers: { host, ...(authorization && { authorization }), ...(bytes && { 'content-type': 'application/json' }) },
      body: bytes ? { kind: 'bytes', bytes } : { kind: 'absent' },
    }
    const reply = await answer(request, clientGone)
    return { status: reply.status, json: readAnswer(await readText(reply, clientGone)) }
  }
}

/** Creates the questions to a simulator at `http://127.0.0.1:4010/__sim`. `token`: the value of its `--control-token`. */
export function askByFetch(controlUrl: string, token: string | undefined): AskControl {
  const auth = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return async ({ method = 'GET', path, query, body }) => {
    const url = `${controlUrl}${path}?${writeQuery(query)}`
    const headers = body === undefined ? auth : { ...auth, 'content-type': 'application/json' }
    try {
      const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
      return { status: response.status, json: readAnswer(await response.text()) }
    } catch {
      const error = `No simulator answers at ${controlUrl}. Start it (npx convsim), then call the tool again.`
      return { status: 503, json: { error } }
    }
  }
}

function writeQuery(query: ControlQuestion['query'] = {}): string {
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) sent.set(name, String(value))
  return sent.toString()
}

async function readText({ body, stream }: Reply, clientGone: AbortSignal): Promise<string> {
  if (!stream) return Buffer.from(body?.bytes() ?? []).toString()
  let text = ''
  for await (const chunk of stream.chunks(clientGone)) text += chunk
  return text
}

function readAnswer(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : { value }
  } catch {
    return { error: `an answer that is no JSON: ${text.slice(0, 200)}` }
  }
}
