import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'

/** The parts of a request that the client sends. */
export interface SentRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** Tells that a request goes, or may go, as the first one over a connection that was opened before it was sent. */
type OnSpare = () => void

/** Sends a request, and resolves once the head of the answer has arrived. */
export interface Transport {
  readonly send: (url: string, sent: SentRequest, onSpare: OnSpare) => Promise<Response>
  readonly close: () => void
}

/** The connections of the platform's `fetch`, which all runs share. It does not say over which of them it sends. */
export const sharedConnections: Transport = {
  send(url, { body, ...sent }, onSpare) {
    onSpare()
    return fetch(url, { ...sent, ...(body !== undefined && { body }) })
  },
  close: () => undefined,
}

/** Opens connections before the first request, as a pool does; each carries its first request when it is needed. */
export async function openConnections(origin: string, count: number): Promise<Transport> {
  const { hostname, port } = new URL(origin)
  const opened = await Promise.all(
    Array.from({ length: count }, () => {
      return new Promise<Socket>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => resolve(socket.off('error', reject)))
        socket.once('error', reject)
      })
    }),
  )
  const waiting = [...opened]
  const unused = new Set(opened)
  const agent = new Agent({ keepAlive: true })
  Object.assign(agent, { createConnection: () => waiting.shift() ?? connect(Number(port), hostname) })
  return {
    send: (url, sent, onSpare) =>
      sendOver(agent, url, sent, (socket) => {
        if (unused.delete(socket)) onSpare()
      }),
    close() {
      agent.destroy()
      for (const socket of waiting) socket.destroy()
    },
  }
}

function sendOver(
  agent: Agent,
  url: string,
  { method, headers, body, signal }: SentRequest,
  onSocket: (socket: Socket) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers, signal }, (answer) => resolve(toResponse(answer)))
    sent.on('socket', onSocket).on('error', reject).end(body)
  })
}

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value))
  answer.on('error', () => undefined) // the reader of the body gets it, too
  const body = Readable.toWeb(answer) as ReadableStream<Uint8Array>
  return new Response(body, { status: answer.statusCode ?? 0, headers })
}
