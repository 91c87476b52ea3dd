import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '../core/log.ts'
import { refuse } from '../exchange/refusals.ts'
import { deliverPromptly } from './deliver.ts'

/** A server that listens, or why it does not. */
export type Listening =
  | {
      readonly ok: true
      readonly server: Server
      readonly port: number
      /** What is connected, each with its answers that are not at their end, in the order of their requests. */
      readonly connections: Connections
    }
  | { readonly ok: false; readonly problem: string }

/**
 * A list for each socket and not a set of all: a set that changes with every request leaves tables behind it, each of which
 * holds on to the next one, and with them to all requests since the engine last collected its old space.
 */
type Connections = ReadonlyMap<Socket, readonly ServerResponse[]>

/** Listens; 0 is any free port. An address that cannot be had is an expected outcome. */
export function listen(app: RequestListener, host: string, port: number, log: Log): Promise<Listening> {
  const connections = new Map<Socket, ServerResponse[]>()
  // What Node would refuse by itself, without a body, is refused here in the service's shape.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    connections.get(request.socket)?.push(response)
    response.on('close', atItsEnd)
    if (request.headers.host !== undefined || request.httpVersion === '1.0') return app(request, response)
    deliverPromptly(refuse(400, 'The Host header is missing.', 'simulator'), response)
  })
  server.on('connection', (socket) => {
    connections.set(socket, [])
    socket.once('close', () => connections.delete(socket))
  })
  function atItsEnd(this: ServerResponse) {
    const open = connections.get(this.req.socket)
    const at = open?.indexOf(this) ?? -1
    if (at >= 0) open?.splice(at, 1)
  }
  // Who reads the body tells its sender to go on: only there is it known how much is taken.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  server.on('checkExpectation', ({ headers }, response) =>
    deliverPromptly(
      refuse(417, `Only Expect: 100-continue is met; got "${headers.expect}".`, 'simulator'),
      response,
    ),
  )
  const refuseBroken = (error: NodeJS.ErrnoException, socket: Socket) => {
    log.info({ code: error.code, reason: error.message.slice(0, 200) }, 'broken HTTP')
    // Bytes behind requests that are still being answered must not take their answers' place; a request that never came
    // to its end has none to wait for.
    const before = connections.get(socket)?.findLast(({ req }) => req.complete)
    if (before) before.once('close', () => socket.destroySoon())
    else refuseBrokenHttp(error, socket)
  }
  server.on('clientError', refuseBroken)
  server.on('connect', (_request, socket) =>
    refuseBroken(new Error('CONNECT is not allowed.'), socket as Socket),
  )
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ ok: false, problem: whyNot(error, host, port) }),
    )
    server.listen(port, host, () =>
      resolve({ ok: true, server, port: (server.address() as AddressInfo).port, connections }),
    )
  })
}

function whyNot(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is taken. Stop what listens there, or choose another with --port (0: any free one).`
  }
  if (error.code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023 with --port.`
  return `Cannot listen on ${host}:${port}: ${error.message}. Check --host and --port.`
}

const tooLarge = 'The request line and headers are larger than 16 KiB together.'

/** What Node's HTTP parser refuses never reaches Express; its sender gets the service's shape all the same. */
function refuseBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400
  const sentence =
    status === 431 ? tooLarge : `The request is not HTTP/1.1 that can be read: ${error.message}`
  const body = JSON.stringify({ success: false, error: sentence })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

type Stoppable = Pick<Extract<Listening, { ok: true }>, 'server' | 'connections'>

/** Stops accepting, lets what is in flight finish for `graceMs`, then cuts what is left. */
export async function stop({ server, connections }: Stoppable, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Else their connections would be kept open for a next request, and we would wait for it.
  for (const response of [...connections.values()].flat())
    if (!response.headersSent) response.setHeader('Connection', 'close')
  server.closeIdleConnections()
  // Node takes a connection on which nothing was ever asked for a busy one; browsers open some in advance.
  for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}
