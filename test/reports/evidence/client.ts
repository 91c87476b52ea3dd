import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientFetch } from './logging-fetch.ts'

/** The habits of a client. */
export interface ClientHabits {
  /** The header in which the client counts its retries, or undefined if it does not count. */
  readonly countHeader: string | undefined
  /** `kept`: the same `insertId` in each try; `changed`: another one in each; `none`: events have none. */
  readonly insertIds: 'kept' | 'changed' | 'none'
  readonly heedsRetryAfter: boolean
  /** Cancels the body of an error before a retry, in place of reading it. */
  readonly cancelsErrorBodies: boolean
  /** The client sends a refused request once more. */
  readonly insists: boolean
  /** The client sends a refused request once more, with another body and the same `insertId`. */
  readonly corrects: boolean
  /** The client sends an equal event of its own, with its own `insertId`, after each event that it gave up. */
  readonly repeatsEvents: boolean
  readonly maxTries: number
  readonly timeoutMs: number
  /** Returns the pause before the retry of this number, from 1, milliseconds. */
  readonly backOff: (retry: number) => number
}

/** A call that the client makes. */
export interface ClientCall {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: Record<string, unknown> | undefined
  /** Gives the body an `insertId`, unless the client sends none. */
  readonly hasInsertId: boolean
}

/** The end of a try, as the code of the client sees it. */
interface TryResult {
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
}

/** Makes a call, with retries after a 429, a 5xx, a time-out and a broken connection. */
export async function makeCall(fetch: ClientFetch, call: ClientCall, habits: ClientHabits): Promise<void> {
  let refusals = 0
  for (let number = 0; number < habits.maxTries; number += 1) {
    const sent = habits.corrects && refusals > 0 ? correct(call) : call
    const result = await tryOnce(fetch, sent, number, habits)
    const { status } = result
    if (isRefusal(status)) refusals += 1
    const isOver = status !== undefined && status < 400
    const isGivenUp = refusals > mostRefusals(habits) || number + 1 === habits.maxTries
    if (isOver || isGivenUp) return
    await pause(pauseAfter(result, number, habits))
  }
}

const mostRefusals = ({ insists, corrects }: ClientHabits) => (insists || corrects ? 1 : 0)

const correct = (call: ClientCall): ClientCall => ({ ...call, body: call.body && { ...call.body, corrected: true } })

function pauseAfter({ retryAfterMs }: TryResult, number: number, habits: ClientHabits): number {
  return (habits.heedsRetryAfter ? retryAfterMs : undefined) ?? habits.backOff(number + 1)
}

const isRefusal = (status = 0) => status >= 400 && status < 500 && status !== 429

/** Waits no less than `ms` milliseconds; a timer may fire a little early. */
async function pause(ms: number): Promise<void> {
  const until = performance.now() + ms
  for (let left = ms; left > 0; left = until - performance.now()) await sleep(Math.ceil(left))
}

async function tryOnce(
  fetch: ClientFetch,
  { name, method, path, body, hasInsertId }: ClientCall,
  number: number,
  habits: ClientHabits,
): Promise<TryResult> {
  const { countHeader, insertIds, cancelsErrorBodies } = habits
  const insertId = hasInsertId ? insertIdOf(name, number, insertIds) : undefined
  const headers = {
    authorization: 'Bearer any-key',
    'user-agent': 'evidence-client/1',
    ...(body && { 'content-type': 'application/json' }),
    ...(countHeader !== undefined && { [countHeader]: String(number) }),
  }
  const text = body && JSON.stringify(insertId === undefined ? body : { ...body, insertId })
  const signal = AbortSignal.timeout(habits.timeoutMs)
  let failure: TryResult | undefined
  try {
    const answer = await fetch(path, { method, headers, body: text, signal }, { call: name, number, insertId })
    const { status } = answer
    if (status >= 400) failure = { status, retryAfterMs: readRetryAfter(answer.headers) }
    if (failure && cancelsErrorBodies) await answer.body?.cancel()
    else await answer.text()
    return failure ?? { status, retryAfterMs: undefined }
  } catch {
    return failure ?? { status: undefined, retryAfterMs: undefined } // a time-out or a broken connection
  }
}

function insertIdOf(name: string, number: number, habit: ClientHabits['insertIds']): string | undefined {
  if (habit === 'none') return undefined
  return habit === 'kept' ? `id-${name}` : `id-${name}-${number}`
}

function readRetryAfter(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after')
  return seconds === null ? undefined : Number(seconds) * 1000
}
