import { signal } from '@preact/signals'
import type { components, paths } from '../../client/control-types.ts'

/** The path under which the control plane and this page are served. */
const controlBase = '/__sim'

/** The reason why a request to the control plane got no proper response. */
export interface Problem {
  /** The status, or undefined if there was no response. */
  readonly status: number | undefined
  /** The sentence to show; it says what to do next. */
  readonly sentence: string
}

/** A response of the control plane, or a problem. */
export type Asked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem }

/** The parts of a request besides method and path. */
interface AskOptions<Path extends ControlPath, Method extends ControlMethod> {
  /** Values for the braces of the path: `{ id: 'req-7' }` for `/requests/{id}`. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Path, Method>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Asks the control plane: `await ask('get', '/coverage', { query: { sandbox: 'default' } })`. It never throws. */
export async function ask<Path extends ControlPath, Method extends ControlMethod>(
  method: Method,
  path: Path,
  { path: names = {}, query, body, signal }: AskOptions<Path, Method> = {},
): Promise<Asked<ResponseOf<Path, Method>>> {
  const response = await fetchControl(toTarget(path, names, query), {
    method: method.toUpperCase(),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
    ...(signal && { signal }),
  })
  if (!response.ok) return response
  try {
    return { ok: true, value: await response.value.json() }
  } catch {
    return { ok: false, problem: unreachable() }
  }
}

/** Asks for a text: `await askText('/requests/{id}', { path: { id }, query: { format: 'curl' } })`. */
export async function askText<Path extends ControlPath>(
  path: Path,
  { path: names = {}, query }: AskOptions<Path, 'get'>,
): Promise<Asked<string>> {
  const response = await fetchControl(toTarget(path, names, query), {})
  return response.ok ? { ok: true, value: await response.value.text() } : response
}

/** Returns the path and query of a request to the control plane, with the names in braces replaced. */
export function toTarget(path: string, names: Readonly<Record<string, string>>, query: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
  const sent = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** Sends a request with the token. Any refusal is a problem; that of a missing token makes the page ask for it. */
export async function fetchControl(target: string, init: RequestInit): Promise<Asked<Response>> {
  try {
    const headers = { ...tokenHeaders(), ...(init.headers as Record<string, string> | undefined) }
    const response = await fetch(controlBase + target, { ...init, headers })
    if (response.ok) return { ok: true, value: response }
    if (response.status === 401) isTokenNeeded.value = true
    return { ok: false, problem: { status: response.status, sentence: await readProblemSentence(response) } }
  } catch {
    return { ok: false, problem: unreachable() }
  }
}

async function readProblemSentence(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text)
    if (typeof error === 'string') return error
  } catch {
    // A proxy may respond in its own words.
  }
  return `The response was ${response.status} ${response.statusText}. Is something between this page and the simulator?`
}

const unreachable = (): Problem => ({
  status: undefined,
  sentence: `The simulator at ${location.host} does not respond. Start it again; this page reconnects by itself.`,
})

/** A schema of the control document by name: `Schema<'Exchange'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** A path of the control document: `/requests/{id}`. */
export type ControlPath = keyof paths

/** A method of the control plane, as the document spells it. */
type ControlMethod = 'get' | 'put' | 'post' | 'delete'

type ControlOperation<Path extends ControlPath, Method extends ControlMethod> =
  paths[Path] extends Record<Method, infer Operation> ? Operation : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

type SuccessOf<Responses> = Responses extends { 200: infer Response }
  ? Response
  : Responses extends { 201: infer Response }
    ? Response
    : never

/** The JSON body of a success: `ResponseOf<'/coverage', 'get'>`. */
export type ResponseOf<Path extends ControlPath, Method extends ControlMethod> =
  ControlOperation<Path, Method> extends { responses: infer Responses } ? JsonOf<SuccessOf<Responses>> : never

/** The query parameters of an operation. */
export type QueryOf<Path extends ControlPath, Method extends ControlMethod> =
  ControlOperation<Path, Method> extends { parameters: { query?: infer Query } } ? Query : never

/** The name under which the token is stored, in the storage of the tab, which no other tab reads. */
const storageName = 'convsim-control-token'

/** True while the control plane refuses the page for want of the right token. The page then asks for it. */
export const isTokenNeeded = signal(false)

/** Returns the headers that carry the token; empty where none was entered. */
export function tokenHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(storageName)
  return token === null ? {} : { Authorization: `Bearer ${token}` }
}

/** Stores the token that the user entered, for this tab only. Returns false if no header can carry it. */
export function storeToken(token: string): boolean {
  if (!/^[\x20-\x7e]+$/.test(token)) return false
  sessionStorage.setItem(storageName, token)
  return true
}
