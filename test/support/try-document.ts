import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../src/base/core/json.ts'
import { silentLog } from '../../src/base/core/log.ts'
import { reasonOf } from '../../src/base/core/result.ts'
import { defaultSettings, type Settings } from '../../src/server/settings/settings.ts'
import { bundle } from './bundle.ts'
import { runInProcess } from './run-tool.ts'

// `npm run test:hostile` does not run in vitest, so this file cannot use `start.ts`, which imports vitest.
const { start } = bundle.start()

/** The path of the operation in each tested document. */
const path = '/data'

/** Returns a document with one operation, `GET /data`, whose response has the media type object `media`. */
export const documentWithData = (media: JsonObject, members: JsonObject = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Data', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    [path]: {
      get: {
        operationId: 'getData',
        responses: { 200: { description: 'Data.', content: { 'application/json': media } } },
      },
    },
  },
  ...members,
})

/** The errors that `check` and the simulator report for a document, and a response from the simulator. */
export interface Outcome {
  readonly checkErrors: readonly string[]
  readonly startupErrors: readonly string[]
  /** The response body of `GET /data`, or undefined if the simulator did not start or respond. */
  readonly body: string | undefined
}

/** Checks a document, starts a simulator with it, and sends a request. An exception is returned as an error. */
export async function tryDocument(file: string, changes: Partial<Settings> = {}): Promise<Outcome> {
  const settings = { ...defaultSettings(), ...changes, contract: file, port: 0, state: ':memory:' }
  const checkErrors = await collectErrors(async () => {
    const overlays = changes.overlay === undefined ? [] : ['--overlay', changes.overlay]
    const { stdout } = await runInProcess(['check', file, ...overlays, '--format', 'json'])
    return JSON.parse(stdout).files[0].findings
  })
  let body: string | undefined
  const startupErrors = await collectErrors(async () => {
    const running = await start(settings, { now: Date.now, log: silentLog })
    if (!running.ok) return running.error
    const response = await fetch(running.value.baseUrl + path, { headers: { authorization: 'Bearer any-key' } })
    body = await response.text()
    await running.value.close()
    return []
  })
  return { checkErrors, startupErrors, body }
}

async function collectErrors(find: () => Promise<readonly { severity: string; message: string }[]>): Promise<string[]> {
  try {
    const findings = await find()
    return findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : reasonOf(error)]
  }
}

/** Describes the problem if `check` and startup disagree, or if the output contains a stack trace or the secret. */
export function findProblem({ checkErrors, startupErrors, body }: Outcome, secret: string): string | undefined {
  const all = JSON.stringify([checkErrors, startupErrors, body])
  if (all.includes(secret)) return `the output contains the secret: ${all}`
  if (/\\n +at |ResolverError/.test(all)) return `the output contains a stack trace: ${all}`
  if ((checkErrors.length === 0) !== (startupErrors.length === 0)) return `check and startup disagree: ${all}`
  return undefined
}

/** Starts a server that counts the requests it receives. Documents that contain the server's URL must cause none. */
export async function startCounter() {
  const counted = { requests: 0 }
  const server = createServer((_, response) => {
    counted.requests += 1
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // the address of a TCP server is an object
  return { url: `http://127.0.0.1:${port}/data.json`, counted, close: () => server.close() }
}
