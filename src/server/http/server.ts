import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { clearTimeout, setTimeout } from '../../base/core/timers.ts'
import { refuse } from '../../service/exchange/refusals.ts'
import { type App, noSniffing } from './app.ts'
import type { ServerCertificate } from './certificate.ts'
import { registerConnection, shutdownGraceMs, watchLeave } from './connections.ts'
import { deliverImmediately } from './deliver.ts'

/**
 * Milliseconds after which an idle connection is closed. Node's default of five seconds is too short: if a client
 * stalls that long, for example on a busy machine, its next request may be sent on a closed connection and lost.
 */
const keepAliveMs = 65_000

interface ListeningServer {
  readonly server: Server
  readonly port: number
  readonly connections: Connections
}

/**
 * The open connections, each with its responses in request order. Finished responses are removed only when the next
 * request arrives, since removing each as it ends is slower. Each socket has its own list, because V8 would retain the
 * old tables of one large, constantly changing set, and therefore the requests, until a full garbage collection.
 */
type Connections = ReadonlyMap<Socket, readonly ServerResponse[]>

/** The reason why a server cannot listen, and the flag to change. */
interface ListenProblem {
  readonly flag: '--host' | '--port'
  readonly message: string
}

interface ListenOptions {
  readonly host: string
  readonly port: number
  /** The certificate for HTTPS; undefined for HTTP. */
  readonly certificate?: ServerCertificate | undefined
}

/** Listens on an address; port 0 selects a free port. The error says why the address or port cannot be used. */
export function listen(
  app: App,
  { host, port, certificate }: ListenOptions,
  log: Log,
): Promise<Result<ListeningServer, ListenProblem>> {
  const connections = new Map<Socket, ServerResponse[]>()
  // The simulator itself refuses requests without a Host header, since Node's own refusal has an empty body.
  const options = { requireHostHeader: false, ...app.messages }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    storeResponse(connections, response)
    const problem = findHostHeaderProblem(request)
    if (problem === undefined) app.listener(request, response)
    else {
      if (/^\/__sim\b/i.test(request.url ?? '')) response.setHeader(...noSniffing)
      deliverImmediately(refuse(400, problem, 'simulator'), response)
    }
  }
  // Stopping cannot close a connection during its TLS handshake, so the handshake timeout is the shutdown grace period.
  const { cert, key } = certificate ?? {}
  const tls = { ...options, cert, key, handshakeTimeout: shutdownGraceMs }
  const server = certificate ? createTlsServer(tls, handle) : createServer(options, handle)
  server.keepAliveTimeout = keepAliveMs
  server.maxHeadersCount = 0 // unlimited, since Node silently drops headers beyond a maximum; the total size is limited
  server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, [])
    registerConnection(socket)
    watchLeave(socket)
    socket.once('close', () => connections.delete(socket))
  })
  // `read-request.ts` sends 100 Continue, because it knows the body limit.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  server.on('checkExpectation', ({ headers }, response) => {
    const problem = `Only Expect: 100-continue is supported; got "${headers.expect}".`
    deliverImmediately(refuse(417, problem, 'simulator'), response)
  })
  const handleMalformed = (error: NodeJS.ErrnoException & { readonly reason?: string }, socket: Socket) => {
    if (error.code?.startsWith('ERR_SSL_')) {
      log.info({ code: error.code, reason: error.reason }, 'TLS handshake failed')
      return void socket.destroy()
    }
    log.info({ code: error.code, reason: error.message.slice(0, 200) }, 'malformed HTTP')
    // If complete requests still await responses, the connection closes after the last response, without a refusal.
    const unfinished = connections
      .get(socket)
      ?.findLast(({ req, writableFinished }) => req.complete && !writableFinished)
    if (unfinished) unfinished.once('close', () => socket.destroySoon())
    else refuseMalformed(error, socket)
  }
  server.on('clientError', handleMalformed)
  server.on('connect', (_request, socket) => handleMalformed(new Error('CONNECT is not allowed'), socket as Socket))
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(failure(describeListenError(error, host, port))))
    server.listen(port, host, () =>
      resolve(success({ server, port: (server.address() as AddressInfo).port, connections })),
    )
  })
}

/** Returns the problem if the Host header is repeated, or if it is missing from an HTTP/1.1 request. */
function findHostHeaderProblem({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  if (count > 1) return 'There is more than one Host header.'
  return count === 1 || httpVersion === '1.0' ? undefined : 'The Host header is missing.'
}

function storeResponse(connections: Map<Socket, ServerResponse[]>, response: ServerResponse): void {
  const responses = connections.get(response.req.socket)
  if (!responses) return
  while (responses[0]?.writableFinished) responses.shift()
  responses.push(response)
}

function describeListenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): ListenProblem {
  if (code === 'EACCES')
    return { flag: '--port', message: `Port ${port} requires more privileges. Choose a port above 1023 with --port.` }
  if (code === 'EADDRINUSE') {
    const advice = 'Stop the process that listens on that port, or choose another port with --port (0: any free port).'
    return { flag: '--port', message: `Port ${port} on ${host} is in use. ${advice}` }
  }
  const advice = 'Choose an address of this machine with --host.'
  return { flag: '--host', message: `Cannot listen on ${host}: ${message}. ${advice}` }
}

/** Milliseconds that a client is given to read the refusal of malformed HTTP before the connection is closed. */
const lingerMs = 1000

const tooLarge = 'The request line and headers together exceed 16 KiB.'

/** Refuses a request that never reaches the app, such as malformed HTTP, with a body like that of a service error. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writableEnded) return // the request was already refused because of an earlier error
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400
  const sentence = status === 431 ? tooLarge : `The request cannot be processed: ${error.message}.`
  const body = JSON.stringify({ success: false, error: sentence })
  // `end` closes only the outgoing direction. The incoming direction stays open for a moment, so that a client that is
  // still sending can read the refusal.
  setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Stops accepting connections, waits up to `graceMs` milliseconds for active requests, then closes all connections. */
export async function stop({ server, connections }: ListeningServer, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Without this header, the connections would stay open for another request and delay the shutdown.
  for (const response of [...connections.values()].flat())
    if (!response.headersSent) response.setHeader('Connection', 'close')
  server.closeIdleConnections()
  // Browsers open connections in advance. To Node, a connection without requests is busy, not idle.
  for (const [socket, responses] of connections)
    if (socket.bytesRead === 0 || (socket instanceof TLSSocket && responses.length === 0)) socket.destroy()
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(timer)
  // The server closes before the last connections emit `close`, which is when their exchanges are recorded.
  await Promise.all(Array.from(connections.keys(), (socket) => once(socket, 'close')))
}
