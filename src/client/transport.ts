import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './control-types.ts'

/** Node's request functions, saved at load time, so that a test's mock does not replace them. */
const requestFunctions = { 'http:': http.request, 'https:': https.request }

export interface ConnectOptions {
  /** The value of the simulator's `--control-token`. */
  readonly token?: string | undefined
  /** The PEM certificate of the CA that signed the simulator's TLS certificate. Not needed if Node trusts the CA. */
  readonly authority?: string | undefined
}

/** The types of the control plane's requests and responses, by schema name in its OpenAPI document. */
export type ControlSchemas = components['schemas']

/** An operation's query parameters. Not for public types: the package's declarations omit this type. @internal */
export type ControlQuery<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>

/** A typed client for the control plane. It throws if the simulator refuses a request or is unreachable. @internal */
export type Transport = ReturnType<typeof createTransport>

/** Creates a client for the control plane at a URL such as `http://127.0.0.1:4010/__sim`. @internal */
export function createTransport(controlUrl: string, { token, authority }: ConnectOptions = {}) {
  const client = createClient<paths, 'application/json'>({
    baseUrl: controlUrl,
    Request, // Node's class: see `src/build/bundles.ts`
    fetch: (request) => fetchOrExplain(request, controlUrl, authority),
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })
  client.use({
    async onResponse({ request, response }) {
      // 417 is the result of a failed check (`verify` or `failOn`), not a refusal.
      if (response.ok || response.status === 417) return
      throw new Error(await describeRefusal(request, response))
    },
  })
  return client
}

/** Returns the data of a successful response with a body. */
export async function dataOf<Data>(response: Promise<{ readonly data?: Data }>): Promise<Data> {
  return (await response).data as Data
}

/** Awaits a response and ignores its content. @internal */
export async function done(response: Promise<unknown>): Promise<void> {
  await response
}

async function fetchOrExplain(request: Request, controlUrl: string, authority?: string): Promise<Response> {
  try {
    return await send(request, authority)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException // no message if Node tried several addresses
    throw new Error(
      `No simulator is responding at ${controlUrl} (${message || code}). ` +
        'Start one (npx convsim), or use the URL of a running simulator.',
      { cause: error },
    )
  }
}

/** Sends a request. Used instead of `fetch`, because happy-dom's `fetch` sends CORS preflights, as a browser does. */
async function send(request: Request, ca: string | undefined): Promise<Response> {
  const { url, method, headers, signal } = request
  const body = new Uint8Array(await request.arrayBuffer())
  return new Promise((resolve, reject) => {
    const open = requestFunctions[url.startsWith('https:') ? 'https:' : 'http:']
    const outgoing = open(url, { method, headers: Object.fromEntries(headers), signal, ca }, (incoming) => {
      const { statusCode: status = 0, headersDistinct } = incoming
      const lines = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')] as const)
      const content = status === 204 ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
      resolve(new Response(content, { status, headers: Object.fromEntries(lines) }))
    })
    outgoing.on('error', reject).end(body)
  })
}

/** Describes a refused request: `PUT /__sim/clock returned 400: body/now ...`. */
async function describeRefusal({ method, url }: Request, response: Response): Promise<string> {
  const text = await response.text()
  return `${method} ${new URL(url).pathname} returned ${response.status}: ${errorOf(text) ?? text.slice(0, 200)}`
}

function errorOf(text: string): string | undefined {
  try {
    return JSON.parse(text).error
  } catch {
    return undefined // a response from something other than the simulator
  }
}
