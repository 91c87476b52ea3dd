import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http'
import type { UpstreamAccess } from '../../../src/server/upstream/parse-upstream.ts'
import { listenForTest } from '../../support/fake-upstream.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'

/** Starts a server that stands for the real service, for one test. */
export async function fakeUpstream(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listenForTest(createServer(listener))}`
}

/** Starts a proxy in front of an origin, for one test. */
export function proxyTo(
  origin: string,
  { basePath = '', token, timeoutMs = 60_000 }: Partial<UpstreamAccess> = {},
  settings: Parameters<typeof startForTest>[0] = {},
): Promise<TestSimulator> {
  return startForTest({ clock: 'real', ...settings }, { origin, basePath, token, timeoutMs })
}

/** Starts a proxy in front of a service that has one response for all requests, for one test. */
export async function proxyWith(
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer,
  settings?: Parameters<typeof startForTest>[0],
): Promise<TestSimulator> {
  return proxyTo(await fakeUpstream((_req, res) => res.writeHead(status, headers).end(body)), {}, settings)
}
