import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import type { TestSimulator } from './start.ts'

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON body; undefined for an answer without one, or of another media type. */
  readonly body: Json | undefined
}

export interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** Sent as JSON, unless it is text or bytes, which are sent as they are. */
  readonly body?: Json | Uint8Array
  /** Null: none is sent. */
  readonly token?: string | null
  /** Null: none is sent. */
  readonly contentType?: string | null
  /** A 500 that no scenario asked for fails the test, unless this is true. */
  readonly may500?: boolean
}

type Target = Pick<TestSimulator, 'origin'>

/** Sends a request to a path below the origin: `/v1/events`, `/__sim/info`. */
export async function ask({ origin }: Target, path: string, how: Ask = {}): Promise<Answer> {
  const { method = how.body === undefined ? 'GET' : 'POST', token = 'any-key' } = how
  const headers = new Headers(how.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  const bytes = bytesOf(how.body)
  const contentType = how.contentType === undefined ? 'application/json' : how.contentType
  if (bytes && contentType !== null) headers.set('content-type', contentType)
  const response = await fetch(origin + path, {
    method,
    headers,
    redirect: 'manual',
    ...(bytes && { body: bytes as Uint8Array<ArrayBuffer> }),
  })
  const text = await response.text()
  const scripted = response.headers.get('x-sim-origin') === 'scenario'
  if (response.status === 500 && !scripted && !how.may500)
    throw new Error(`500 on ${method} ${path}: ${text}`)
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' || isOther(response) ? undefined : parsed(text, path),
  }
}

function bytesOf(body: Ask['body']): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function isOther({ headers }: Response): boolean {
  return !(headers.get('content-type') ?? '').startsWith('application/json')
}

function parsed(text: string, path: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${path} answered no JSON: ${text.slice(0, 200)}`)
  }
}

/** The JSON object that an answer is. */
export function objectOf(answer: Pick<Answer, 'body' | 'status'>): JsonObject {
  if (!isObject(answer.body)) throw new Error(`${answer.status} without a JSON object`)
  return answer.body
}

/** A member of an answer that is text. */
export function textOf(answer: Pick<Answer, 'body' | 'status'>, member: string): string {
  const value = objectOf(answer)[member]
  if (typeof value !== 'string') throw new Error(`"${member}" is no text in ${JSON.stringify(answer.body)}`)
  return value
}

/** The sentence of an error; fails where the body is not the service's error body. */
export function errorOf(answer: Pick<Answer, 'body' | 'status'>): string {
  const body = objectOf(answer)
  const { success, error } = body
  if (success !== false || typeof error !== 'string' || error === '' || Object.keys(body).length !== 2)
    throw new Error(`not the service's error body: ${JSON.stringify(body)}`)
  return error
}

/** How much the simulator holds: `{"sandboxes":..,"events":..,"prompts":..}` with the file. */
export async function held(target: Target): Promise<Json> {
  const info = await ask(target, '/__sim/info', { token: null })
  return objectOf(info)['state'] ?? null
}

export const productId = '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75'
export const modelId = '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
export const analyticsPath = `/v1/models/${modelId}/analytics`

/** The least that an event needs, with what a test is about. */
export function event(about: JsonObject = {}): JsonObject {
  return { eventType: 'upgrade_purchased', productId, value: '149.00', ...about }
}

/** The least that a prompt needs, with what a test is about. */
export function prompt(about: JsonObject = {}): JsonObject {
  return { name: 'Order assistant', components: [{ content: 'You answer questions.' }], ...about }
}

/** What one operation of the service takes, so that tables can go over all of them. */
export const operations = [
  { id: 'getModelAnalytics', method: 'GET', path: analyticsPath, body: undefined, success: 200 },
  { id: 'createPrompt', method: 'POST', path: '/v1/prompts', body: prompt(), success: 201 },
  { id: 'createEvent', method: 'POST', path: '/v1/events', body: event(), success: 201 },
] as const

export type TestOperation = (typeof operations)[number]

/** A good request to an operation, with what a test adds to it. */
export function askOperation(target: Target, operation: TestOperation, how: Ask = {}): Promise<Answer> {
  const { method, path, body } = operation
  return ask(target, path, { method, ...(body && { body }), ...how })
}
