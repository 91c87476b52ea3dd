import { signal } from '@preact/signals'
import type { components, paths } from '../../client/control-types.ts'

export interface Problem {
  /** The status of the response; undefined if none arrived. */
  readonly status?: number
  /** Text for the user: what went wrong, and what to do next. */
  readonly sentence: string
}

export type ApiResult<Value> =
  | { readonly value: Value; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: Problem }

interface CallOptions<Path extends ControlPath, Method extends ControlMethod> {
  /** Values for the placeholders in the path: `{ id: 'req-7' }` for `/requests/{id}`. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Path, Method>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Calls the control plane: `await call('get', '/coverage', { query: { sandbox: 'default' } })`. Never rejects. */
export const call = <Path extends ControlPath, Method extends ControlMethod>(
  method: Method,
  path: Path,
  options: CallOptions<Path, Method> = {},
): Promise<ApiResult<ResponseOf<Path, Method>>> => send(method, path, options, (response) => response.json())

export const callText = <Path extends ControlPath>(path: Path, options: CallOptions<Path, 'get'>) =>
  send('get', path, options, (response) => response.text())

/** Sends a request with the stored token, if any. Returns failures as problems; on a 401, the page asks for a token. */
export async function send<Path extends ControlPath, Method extends ControlMethod, Value>(
  method: Method,
  path: Path,
  { path: pathValues = {}, query, body, signal }: CallOptions<Path, Method>,
  read: (response: Response) => Value | Promise<Value>,
): Promise<ApiResult<Value>> {
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathValues[name] ?? ''))
  const parameters = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  try {
    const response = await fetch(`/__sim${filledPath}?${new URLSearchParams(parameters)}`, {
      method: method.toUpperCase(),
      headers: { ...tokenHeaders(), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (response.ok) return { value: await read(response) }
    if (response.status === 401) isTokenNeeded.value = true
    return { problem: { status: response.status, sentence: await readProblemSentence(response) } }
  } catch {
    const advice = 'Restart it; this page will then reconnect automatically.'
    return { problem: { sentence: `The simulator at ${location.host} is not responding. ${advice}` } }
  }
}

async function readProblemSentence(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text)
    if (typeof error === 'string') return error
  } catch {
    // The response may come from a proxy, in a different format.
  }
  return `The response was ${response.status} ${response.statusText}, perhaps from a proxy in front of the simulator.`
}

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export type ControlPath = keyof paths

type ControlMethod = 'get' | 'put' | 'post' | 'delete'

type ControlOperation<Path extends ControlPath, Method extends ControlMethod> =
  paths[Path] extends Record<Method, infer Operation> ? Operation : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

export type ResponseOf<Path extends ControlPath, Method extends ControlMethod> =
  ControlOperation<Path, Method> extends { responses: infer Responses }
    ? JsonOf<Responses[(200 | 201) & keyof Responses]>
    : never

export type QueryOf<Path extends ControlPath, Method extends ControlMethod> =
  ControlOperation<Path, Method> extends { parameters: { query?: infer Query } } ? Query : never

const storageName = 'convsim-control-token'

/** True while the page asks the user for the token, because a request without a valid token was refused. */
export const isTokenNeeded = signal(false)

export function tokenHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(storageName)
  return token === null ? {} : { Authorization: `Bearer ${token}` }
}

/** Stores the token that the user entered, for this tab only. Returns false if the token is not printable ASCII. */
export function storeToken(token: string): boolean {
  if (!/^[\x20-\x7e]+$/.test(token)) return false
  sessionStorage.setItem(storageName, token)
  return true
}
