import { effect, signal, untracked } from '@preact/signals'
import { call, isTokenNeeded, type Problem, type Schema, send } from '../api/call.ts'
import { sandbox } from './route.ts'

interface Arrival {
  readonly exchanges: readonly Schema<'Exchange'>[]
  /** The number of requests, to any sandbox, that the journal evicted before the stream could deliver them. */
  readonly missedCount: number
}

/** The reason why the last attempt to open the stream failed; undefined if the attempt succeeded. */
export const streamProblem = signal<Problem | undefined>(undefined)

/** The state of the page's single stream of requests. `paused`: the page is hidden. */
export const streamState = signal<'connecting' | 'live' | 'paused' | 'offline'>('connecting')

/** The number of times the stream has connected. Lists reload each time, since the server may have been restarted. */
export const connectionCount = signal(0)

/** Incremented at most once a second when requests arrive or are deleted. Reports about the traffic then reload. */
export const trafficTick = signal(0)

/** Incremented when recorded requests are deleted, for example by a reset. Lists then reload. */
export const clearTick = signal(0)

/** The minimum time in milliseconds between deliveries of requests to the page. Each delivery re-renders the page. */
const deliveryMs = 100

/** The delay before the first attempt to reconnect, and the maximum delay before later attempts, in milliseconds. */
const [firstRetryMs, maxRetryMs] = [500, 5_000]

const listeners = new Set<(arrival: Arrival) => void>()
let pending: Schema<'Exchange'>[] = []
let missedCount = 0
let deliveredAt = 0
let deliveryTimer: ReturnType<typeof setTimeout> | undefined
let tickTimer: ReturnType<typeof setTimeout> | undefined

/** Calls the listener with new requests, at most ten times a second. Returns a function that removes the listener. */
export function onArrival(listener: (arrival: Arrival) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Keeps the selected sandbox's stream open, except while the page is hidden or needs a token. */
export function keepStreaming(): void {
  let current = new AbortController()
  const reopen = () => {
    current.abort()
    current = new AbortController()
    dropPending()
    clearTimeout(tickTimer)
    tickTimer = undefined
    if (document.hidden) streamState.value = 'paused'
    else void streamUntil(sandbox.value, current.signal)
  }
  document.addEventListener('visibilitychange', reopen)
  // Reopens the stream when a different sandbox is selected, and after the user has entered the token.
  effect(() => {
    void sandbox.value
    if (!isTokenNeeded.value) untracked(reopen)
  })
}

/** Streams requests, and reconnects whenever the stream ends, until the signal is aborted or a token is needed. */
async function streamUntil(name: string, signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  const onOpen = () => {
    retryMs = firstRetryMs
    streamState.value = 'live'
    streamProblem.value = undefined
    connectionCount.value += 1
  }
  if (streamState.value !== 'offline') streamState.value = 'connecting'
  while (!signal.aborted) {
    const problem = await streamOnce(name, signal, onOpen)
    if (signal.aborted || isTokenNeeded.value) return
    streamProblem.value = problem
    streamState.value = 'offline'
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    retryMs = Math.min(maxRetryMs, retryMs * 2)
  }
}

/** Streams requests newer than those already in the journal. Returns the problem if the stream cannot be opened. */
async function streamOnce(name: string, signal: AbortSignal, onOpen: () => void): Promise<Problem | undefined> {
  const newest = await call('get', '/requests', { query: { sandbox: name, order: 'newest', limit: 1 }, signal })
  if (newest.problem || signal.aborted) return newest.problem
  const query = { sandbox: name, since: newest.value.requests[0]?.number ?? 0, bodies: true }
  const { problem } = await send('get', '/requests/stream', { query, signal }, (response) => {
    onOpen()
    return readEvents(response).catch(() => undefined) // the connection was lost, or the page closed it
  })
  return problem
}

/** Reads server-sent events until the stream ends. Used instead of `EventSource`, which cannot send a token. */
async function readEvents({ body }: Response): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    const events = (rest + piece.value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) receive(event)
  }
}

/** Handles an event. Ignores comments, which only keep the connection open. */
function receive(event: string): void {
  const [, name, text = ''] = /^event: (\w+)\n(?:id: \d+\n)?data: (.*)$/s.exec(event) ?? []
  if (name === undefined) return
  const data = JSON.parse(text)
  if (name === 'cleared') {
    dropPending()
    clearTick.value += 1
  } else if (name === 'dropped') missedCount += data.to - data.from + 1
  else pending.push(data)
  deliveryTimer ??= setTimeout(deliverPending, Math.max(0, deliveredAt + deliveryMs - performance.now()))
  tickTimer ??= setTimeout(() => {
    tickTimer = undefined
    trafficTick.value += 1
  }, 1_000)
}

function deliverPending(): void {
  const arrival = { exchanges: pending, missedCount }
  dropPending()
  deliveredAt = performance.now()
  for (const listener of listeners) listener(arrival)
}

function dropPending(): void {
  clearTimeout(deliveryTimer)
  deliveryTimer = undefined
  pending = []
  missedCount = 0
}
