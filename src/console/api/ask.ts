import type { AnswerOf, ControlMethod, ControlPath, QueryOf } from './answers.ts'
import { isTokenNeeded, tokenHeaders } from './token.ts'

/** The path under which the control plane and this page are served. */
const controlBase = '/__sim'

/** The reason why a request to the control plane was not answered as asked. */
export interface Problem {
  /** The status, or undefined if there was no answer. */
  readonly status: number | undefined
  /** The sentence to show; it says what to do next. */
  readonly sentence: string
}

/** An answer of the control plane, or a problem. */
export type Asked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem }

/** The parts of a request besides method and path. */
export interface AskOptions<Path extends ControlPath, Method extends ControlMethod> {
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
): Promise<Asked<AnswerOf<Path, Method>>> {
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
    // A proxy may answer in its own words.
  }
  return `The answer was ${response.status} ${response.statusText}. Is something between this page and the simulator?`
}

const unreachable = (): Problem => ({
  status: undefined,
  sentence: `The simulator at ${location.host} does not answer. Start it again; this page reconnects by itself.`,
})
