import { expect } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts'
import type { TestSimulator } from './start.ts'

/** A response with its complete body. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON body, or undefined if the body is empty or is not `application/json`. */
  readonly body: Json | undefined
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** The body. Strings and bytes are sent unchanged; any other value is sent as JSON. */
  readonly body?: Json | Uint8Array
  /** The bearer token. Default: `any-key`. If it is null, no Authorization header is added. */
  readonly token?: string | null
  /** The value of the `X-Sim-Sandbox` header. */
  readonly sandbox?: string
  /** The value of the `X-Sim-Scenario` header. */
  readonly scenario?: string
  /** The content type of the body. Default: `application/json`. If it is null, no Content-Type header is added. */
  readonly contentType?: string | null
  /** Aborts the request. */
  readonly signal?: AbortSignal
  /** Accepts a 500 that no scenario caused, instead of throwing an error. */
  readonly may500?: boolean
}

type Target = Pick<TestSimulator, 'origin'>

/** Sends a request to a path on the origin, such as `/v1/events` or `/__sim/info`. */
export async function call({ origin }: Target, path: string, options: RequestOptions = {}): Promise<TestResponse> {
  const { method = options.body === undefined ? 'GET' : 'POST', token = 'any-key', signal = null } = options
  const headers = new Headers(options.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  if (options.sandbox !== undefined) headers.set('x-sim-sandbox', options.sandbox)
  if (options.scenario !== undefined) headers.set('x-sim-scenario', options.scenario)
  const bytes = encodeBody(options.body)
  const contentType = options.contentType === undefined ? 'application/json' : options.contentType
  if (bytes && contentType !== null) headers.set('content-type', contentType)
  const response = await fetch(origin + path, {
    method,
    headers,
    redirect: 'manual',
    signal,
    ...(bytes && { body: bytes as Uint8Array<ArrayBuffer> }),
  })
  const text = await response.text()
  const isScripted = response.headers.get('x-sim-origin') === 'scenario'
  if (response.status === 500 && !isScripted && !options.may500) throw new Error(`500 on ${method} ${path}: ${text}`)
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' || isNotJson(response) ? undefined : parseJson(text, path),
  }
}

function encodeBody(body: RequestOptions['body']): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function isNotJson({ headers }: Response): boolean {
  return !/^application\/json(;|$)/.test(headers.get('content-type') ?? '')
}

function parseJson(text: string, path: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${path} did not return JSON: ${text.slice(0, 200)}`)
  }
}

/** Returns the JSON object in a response. Throws if the body is not a JSON object. */
export function objectOf(response: Pick<TestResponse, 'body' | 'status'>): JsonObject {
  if (!isObject(response.body)) throw new Error(`the ${response.status} response has no JSON object`)
  return response.body
}

/** Returns a string member of the JSON object in a response. Throws if the member is not a string. */
export function textOf(response: Pick<TestResponse, 'body' | 'status'>, member: string): string {
  const value = objectOf(response)[member]
  if (typeof value !== 'string') throw new Error(`"${member}" is not a string in ${JSON.stringify(response.body)}`)
  return value
}

/** Returns the message in an error response. Throws if the body is not the service's error body. */
export function errorOf(response: Pick<TestResponse, 'body' | 'status'>): string {
  const body = objectOf(response)
  const { success, error } = body
  if (success !== false || typeof error !== 'string' || error === '' || Object.keys(body).length !== 2)
    throw new Error(`not the service's error body: ${JSON.stringify(body)}`)
  return error
}

/** Expects this status, and the service's error body with a message that matches each of these patterns. */
export function expectRefusal(
  response: Pick<TestResponse, 'body' | 'status'>,
  status: number,
  ...patterns: readonly (RegExp | string)[]
): void {
  expect({ status: response.status, body: response.body }).toMatchObject({ status })
  const error = errorOf(response)
  for (const pattern of patterns) expect(error).toMatch(pattern)
}

/** Reads `state` from `/__sim/info`, such as `{"file":":memory:","sandboxes":1,"events":2,"prompts":0}`. */
export async function readStateInfo(target: Target): Promise<Json> {
  return objectOf(await call(target, '/__sim/info', { token: null }))['state'] ?? null
}

/** The ID of a product that no fixture lists. */
export const productId = '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75'
/** The ID of a model that no fixture lists. */
export const modelId = '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
/** The path of the analytics for `modelId`. */
export const analyticsPath = `/v1/models/${modelId}/analytics`

/** Returns a minimal event with additional fields. */
export function event(fields: JsonObject = {}): JsonObject {
  return { eventType: 'upgrade_purchased', productId, value: '149.00', ...fields }
}

/** Returns a minimal prompt with additional fields. */
export function prompt(fields: JsonObject = {}): JsonObject {
  return { name: 'Order assistant', components: [{ content: 'You answer questions.' }], ...fields }
}

/** A valid request to each kind of operation: a read, a write, and a write that accepts an idempotency key. */
export const operations = [
  { id: 'getModelAnalytics', method: 'GET', path: analyticsPath, body: undefined, success: 200 },
  { id: 'createPrompt', method: 'POST', path: '/v1/prompts', body: prompt(), success: 201 },
  { id: 'createEvent', method: 'POST', path: '/v1/events', body: event(), success: 201 },
] as const

/** The statuses of the scenarios that refuse a request, by scenario name. */
export const refusalStatuses: Readonly<Record<string, number>> = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'rate-limited': 429,
  'server-error': 500,
  unavailable: 503,
}

/** A valid request to an operation of the service. */
export interface OperationRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body: JsonObject | undefined
  /** The success status. */
  readonly success: number
}

/** Sends a valid request to an operation, with additional options. */
export function callOperation(target: Target, operation: OperationRequest, options: RequestOptions = {}) {
  const { method, path, body } = operation
  return call(target, path, { method, ...(body && { body }), ...options })
}
