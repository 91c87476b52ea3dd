import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listenForTest } from './fake-upstream.ts'

/** A round-robin load balancer. Skips servers that refuse connections. Skips unready servers unless all are unready. */
export interface Balancer {
  /** The URL of the balancer, such as `http://127.0.0.1:12345`. */
  readonly origin: string
}

/** A server's response, or the code or message of an error if there is no response. */
type Attempt = IncomingMessage | string

/** Milliseconds between two readiness checks of a server. */
const CHECK_MS = 50

/** Starts a balancer for one test. A request gets a 502 if no server accepts it, or if the accepting server fails. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let next = 0
  const unready = new Set<number>()
  const check = async (port: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (response?.ok) unready.delete(port)
    else unready.add(port)
  }
  const checkTimer = setInterval(() => ports.map(check), CHECK_MS)
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming)
    const ready = ports.filter((port) => !unready.has(port))
    const servers = ready.length > 0 ? ready : ports
    for (const _ of servers) {
      next += 1
      const attempt = await send(incoming, body, servers[next % servers.length] ?? 0)
      if (typeof attempt !== 'string') {
        outgoing.writeHead(attempt.statusCode ?? 502, attempt.headers)
        attempt.pipe(outgoing)
        return
      }
      if (attempt !== 'ECONNREFUSED') break
    }
    outgoing.writeHead(502).end()
  }
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing))
  onTestFinished(() => clearInterval(checkTimer))
  return { origin: `http://127.0.0.1:${await listenForTest(server)}` }
}

function send({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer, port: number): Promise<Attempt> {
  return new Promise((resolve) => {
    const { connection: _, ...forwardedHeaders } = headers
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers: forwardedHeaders, agent: false })
    outgoing.on('response', resolve)
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    outgoing.end(body)
  })
}
