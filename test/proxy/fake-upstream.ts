import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { UpstreamTarget } from '../../src/proxy/forward.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

/** Starts a server that stands for the real service, for one test. */
export async function fakeUpstream(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => closeServer(server))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Starts a proxy in front of an origin, for one test. */
export function proxyTo(
  origin: string,
  { basePath = '', token, timeoutMs = 60_000 }: Partial<UpstreamTarget> = {},
  settings: Parameters<typeof startForTest>[0] = {},
): Promise<TestSimulator> {
  return startForTest({ clock: 'real', ...settings }, { origin, basePath, token, timeoutMs })
}
