import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './control-types.ts'

/** Node's clients, saved at load time, so that a test's mock does not replace them. */
const senders = { 'http:': http.request, 'https:': https.request }

export interface ConnectOptions {
  /** The value of the simulator's `--control-token`. */
  readonly token?: string | undefined
  /** The certificate, in PEM, of the authority of a simulator with TLS, unless Node trusts it already. */
  readonly authority?: string | undefined
}

/** The types of the control plane's requests and responses, by their names in its document. */
export type ControlSchemas = components['schemas']

/** The query of an operation. Not for public types, since the package omits it. @internal */
export type ControlQuery<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>

/** A typed client of the control plane. It throws if the simulator refuses a request or is unreachable. @internal */
export type Transport = ReturnType<typeof createTransport>

/**
 * Creates a client of the control plane at `http://127.0.0.1:4010/__sim`. `token`: the value of `--control-token`;
 * `authority`: the certificate in PEM to trust, default: those that Node trusts.
 * @internal
 */
export function createTransport(controlUrl: string, { token, authority }: ConnectOptions = {}) {
  const client = createClient<paths, 'application/json'>({
    baseUrl: controlUrl,
    Request, // Node's; see src/build/bundles.ts
    fetch: (request) => fetchOrExplain(request, controlUrl, authority),
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })
  client.use({
    async onResponse({ request, response }) {
      // `verify` responds with 417 to an unexpected count.
      if (response.ok || response.status === 417) return
      throw new Error(await describeRefusal(request, response))
    },
  })
  return client
}

/** Returns the data of a response that `onResponse` has accepted. */
export async function dataOf<Data>(asked: Promise<{ readonly data?: Data }>): Promise<Data> {
  return (await asked).data as Data // openapi-fetch returns data for every successful response
}

/** Awaits a response without content. @internal */
export async function done(asked: Promise<unknown>): Promise<void> {
  await asked
}

async function fetchOrExplain(request: Request, controlUrl: string, authority?: string): Promise<Response> {
  try {
    return await send(request, authority)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException // an error about several addresses has no message
    throw new Error(
      `No simulator responds at ${controlUrl} (${message || code}). ` +
        'Start one there (npx convsim), or give the URL of a running one.',
      { cause: error },
    )
  }
}

/** Replaces `fetch`, which in happy-dom behaves as in a browser, and would send CORS preflights. */
async function send(request: Request, ca: string | undefined): Promise<Response> {
  const { url, method, headers, signal } = request
  const body = new Uint8Array(await request.arrayBuffer())
  return new Promise((resolve, reject) => {
    const open = senders[url.startsWith('https:') ? 'https:' : 'http:']
    const sent = open(url, { method, headers: Object.fromEntries(headers), signal, ca }, (received) => {
      const { statusCode: status = 0, headersDistinct } = received
      const lines = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')] as const)
      const content = status === 204 ? null : (Readable.toWeb(received) as ReadableStream<Uint8Array>)
      resolve(new Response(content, { status, headers: Object.fromEntries(lines) }))
    })
    sent.on('error', reject).end(body)
  })
}

/** Returns the sentence of a refusal: `PUT /__sim/clock returned 400: body/now ...`. */
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
