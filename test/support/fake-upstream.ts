import { readFileSync } from 'node:fs'
import { createServer, type OutgoingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import type { UpstreamAccess } from '../../src/server/upstream/parse-upstream.ts'
import { startForTest, type TestSimulator } from './start.ts'

/** A response from the fake service, before it is sent. */
export interface FakeResponse {
  status: number
  headers: Record<string, string>
  /** The body. An object is sent as JSON; a string is sent unchanged. */
  body: JsonObject | string
  /** The delay in milliseconds before the response is sent. */
  delayMs?: number
}

export interface FakeRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Modifies a response from the simulator in place. */
export type Change = (response: FakeResponse, request: FakeRequest) => void

/** A fake service that returns the simulator's responses with changes. */
export interface FakeUpstream {
  /** For example, `http://127.0.0.1:12345/v1`. */
  readonly baseUrl: string
  readonly host: string
  /** The requests in the order in which they arrived. */
  readonly requests: readonly FakeRequest[]
}

/** Starts a fake service for one test. */
export async function startFakeUpstream(change: Change = () => {}, hasExpiredCert = false): Promise<FakeUpstream> {
  const { origin } = await startForTest()
  const requests: FakeRequest[] = []
  const listener: RequestListener = async (request, response) => {
    const body = await buffer(request)
    const { method = 'GET', url = '/', headers } = request
    requests.push({ method, url, headers })
    const fake = await forwardTo(origin, { method, url, headers }, body)
    change(fake, { method, url, headers })
    const timer = setTimeout(() => {
      response.writeHead(fake.status, fake.headers)
      response.end(typeof fake.body === 'string' ? fake.body : JSON.stringify(fake.body))
    }, fake.delayMs ?? 0)
    response.on('close', () => clearTimeout(timer))
  }
  const server = hasExpiredCert ? createTlsServer(readCertificate(), listener) : createServer(listener)
  const port = await listenForTest(server)
  const host = `127.0.0.1:${port}`
  return { baseUrl: `${hasExpiredCert ? 'https' : 'http'}://${host}/v1`, host, requests }
}

function readCertificate() {
  const read = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url))
  return { cert: read('expired-cert.pem'), key: read('expired-key.pem') }
}

/** Listens on a free port until the end of the test. Returns the port. */
export async function listenForTest(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

async function forwardTo(origin: string, { method, url, headers }: FakeRequest, bytes: Buffer): Promise<FakeResponse> {
  const forwardedHeaders = { authorization: String(headers['authorization'] ?? ''), 'content-type': 'application/json' }
  const init = { method, headers: forwardedHeaders }
  const response = await fetch(origin + url, bytes.length > 0 ? { ...init, body: bytes } : init)
  const body = (await response.json()) as JsonObject
  const { 'content-length': _, ...otherHeaders } = Object.fromEntries(response.headers)
  return { status: response.status, headers: otherHeaders, body }
}

/** Starts a server that acts as the real service for one test. Returns the server's origin. */
export async function startUpstream(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listenForTest(createServer(listener))}`
}

/** Starts the simulator as a proxy in front of an origin, for one test. */
export function proxyTo(
  origin: string,
  { basePath = '', token, timeoutMs = 60_000 }: Partial<UpstreamAccess> = {},
  settings: Parameters<typeof startForTest>[0] = {},
): Promise<TestSimulator> {
  return startForTest({ clock: 'real', ...settings }, { origin, basePath, token, timeoutMs })
}

/** Starts a proxy, as `proxyTo` does, in front of a service that sends the same response to all requests. */
export async function proxyWith(
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer,
  settings?: Parameters<typeof startForTest>[0],
): Promise<TestSimulator> {
  return proxyTo(await startUpstream((_req, res) => res.writeHead(status, headers).end(body)), {}, settings)
}
