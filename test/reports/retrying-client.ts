import type { JsonObject } from '../../src/core/json.ts'
import { deriveChance, deriveUuid } from '../../src/core/seeded.ts'
import { ask, event, textOf } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'

/** The habits of a client after a failure. */
export interface Habits {
  /** The client waits as long as `Retry-After` demands. */
  readonly heedsRetryAfter: boolean
  /** The client waits longer each time. */
  readonly backsOff: boolean
  /** The client sends an event again with the same `insertId`. */
  readonly keepsInsertId: boolean
  /** The client does not repeat a refused request. */
  readonly acceptsRefusals: boolean
  /** The client sends the content type of its bodies. */
  readonly sendsContentType: boolean
}

/** The habits of a polite client. */
export const polite: Habits = {
  heedsRetryAfter: true,
  backsOff: true,
  keepsInsertId: true,
  acceptsRefusals: true,
  sendsContentType: true,
}

/** The faults before a call succeeds, and the refusals that end a call. */
const faults = ['429;retry-after=3', '503;retry-after=2', '500', 'reset', 'lost-ack'] as const
const refusals = ['400', '403', '404'] as const

/** Runs a client whose calls meet faults that the seed draws. The client does not sleep: it waits by advancing the sandbox's clock. */
export async function runClient(sim: TestSimulator, sandbox: string, habits: Habits, seed: string): Promise<void> {
  for (let call = 0; call < 12; call += 1) {
    await putRules(sim, [{ sequence: faultsOf(seed, call), operation: operationOf(call) }], sandbox)
    await makeCall(sim, sandbox, habits, call)
    await wait(sim, sandbox, 1000)
  }
}

async function makeCall(sim: TestSimulator, sandbox: string, habits: Habits, call: number): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const answered = await send(sim, call, attempt, { 'x-sim-sandbox': sandbox }, habits)
    const isRefused = answered.status >= 400 && answered.status < 429
    const isOver = isRefused ? habits.acceptsRefusals || attempt > 1 : [200, 201].includes(answered.status)
    if (isOver) return
    await wait(sim, sandbox, pauseAfter(answered, attempt, habits))
  }
}

async function wait(sim: TestSimulator, sandbox: string, ms: number): Promise<void> {
  await steer(sim, 'POST', `/clock/advance?sandbox=${sandbox}`, { by: `${ms}ms` })
}

function pauseAfter({ retryAfterMs }: Answered, attempt: number, habits: Habits): number {
  if (retryAfterMs > 0) return habits.heedsRetryAfter ? retryAfterMs : 500
  return habits.backsOff ? 200 * 2 ** attempt : Math.round(6400 / 3 ** attempt)
}

interface Answered {
  /** 0 where no answer came. */
  readonly status: number
  readonly retryAfterMs: number
}

async function send(
  sim: TestSimulator,
  call: number,
  attempt: number,
  headers: Record<string, string>,
  habits: Habits,
): Promise<Answered> {
  const contentType = habits.sendsContentType ? 'application/json' : null
  const body = operationOf(call) === 'createEvent' ? eventOf(call, habits.keepsInsertId ? 0 : attempt) : undefined
  const path = body ? '/v1/events' : `/v1/models/${deriveUuid(['model', call])}/analytics`
  try {
    const answer = await ask(sim, path, { headers, contentType, ...(body && { body }) })
    if (answer.status >= 400) textOf(answer, 'error')
    return { status: answer.status, retryAfterMs: Number(answer.headers.get('retry-after') ?? 0) * 1000 }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { status: 0, retryAfterMs: 0 } // the connection was lost
  }
}

const operationOf = (call: number) => (call % 3 === 0 ? 'getModelAnalytics' : 'createEvent')

function eventOf(call: number, id: number): JsonObject {
  return event({
    externalUserId: `user-${call}`,
    insertId: `event-${call}-${id}`,
    eventAt: '2026-01-15T12:00:00Z',
  })
}

/** Draws the sequence of a call: a few faults and a success (`500, reset, 500, 201`), or a refusal. */
function faultsOf(seed: string, call: number): string {
  const draw = (label: string) => deriveChance([seed, call, label])
  const isRead = operationOf(call) === 'getModelAnalytics'
  const possible = isRead ? faults.filter((fault) => fault !== 'lost-ack') : faults
  const pick = (list: readonly string[], label: string) => list[Math.floor(draw(label) * list.length)] ?? '500'
  if (draw('refused') < 0.25) return pick(refusals, 'refusal')
  const count = 1 + Math.floor(draw('count') * 5)
  const drawn = Array.from({ length: count }, (_, index) => pick(possible, `fault ${index}`))
  return [...drawn, isRead ? '200' : '201'].join(', ')
}
