import { effect, signal, untracked } from '@preact/signals'
import { type Asked, ask, fetchControl, isTokenNeeded, type Problem, type Schema, toTarget } from '../api/ask.ts'
import { sandbox } from './route.ts'

/** The state of the page's only stream of requests. `paused`: the page is hidden. */
export type StreamState = 'connecting' | 'live' | 'paused' | 'offline'

/** Requests that were handled since the last delivery. */
interface Arrival {
  /** In the order of the journal. */
  readonly exchanges: readonly Schema<'Exchange'>[]
  /** The number of requests that the server dropped, since they came too fast. */
  readonly skipped: number
}

/** The reason why there is no stream; undefined: there is one, or it is not known yet. */
export const streamProblem = signal<Problem | undefined>(undefined)

/** The state of the stream. */
export const streamState = signal<StreamState>('connecting')

/** Grows at each connection. Lists are then read again, since the server may be another process. */
export const connection = signal(0)

/** Grows at most once a second while requests are handled: reports about the traffic then have to be read again. */
export const trafficTick = signal(0)

/** Grows each time that recorded requests were deleted, by a reset for example. Lists are then read again. */
export const clearTick = signal(0)

/** Milliseconds between two ticks. */
const trafficTickMs = 1_000

/** Milliseconds between two deliveries of requests to the page, which is drawn again after each. */
const deliveryMs = 100

/** Milliseconds until the first and, at most, until any further try to connect again. */
const [firstRetryMs, lastRetryMs] = [500, 5_000]

const listeners = new Set<(arrival: Arrival) => void>()
let waiting: Schema<'Exchange'>[] = []
let skipped = 0
let deliveredAt = 0
let delivery: ReturnType<typeof setTimeout> | undefined
let tickTimer: ReturnType<typeof setTimeout> | undefined

/** Calls the listener ten times a second at most with the requests that came. Returns the function that ends it. */
export function onArrival(listener: (arrival: Arrival) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Opens the stream of the shown sandbox, closes it while the page is hidden, and opens it again after an end. */
export function keepStreaming(): void {
  let current = new AbortController()
  const reopen = () => {
    current.abort()
    current = new AbortController()
    dropWaiting()
    clearTimeout(tickTimer)
    tickTimer = undefined
    if (document.hidden) streamState.value = 'paused'
    else void streamUntil(sandbox.value, current.signal)
  }
  document.addEventListener('visibilitychange', reopen)
  // The stream also opens again with the token that the user has entered.
  effect(() => {
    void sandbox.value
    if (!isTokenNeeded.value) untracked(reopen)
  })
}

/** Streams requests, and connects again after each end, until the signal is aborted or a token is needed. */
async function streamUntil(name: string, signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  const onOpen = () => {
    retryMs = firstRetryMs
    streamState.value = 'live'
    streamProblem.value = undefined
    connection.value += 1
  }
  if (streamState.value !== 'offline') streamState.value = 'connecting'
  while (!signal.aborted) {
    const problem = await streamOnce(name, signal, onOpen)
    if (signal.aborted || isTokenNeeded.value) return
    streamProblem.value = problem
    streamState.value = 'offline'
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    retryMs = Math.min(lastRetryMs, retryMs * 2)
  }
}

/** Streams what comes after the newest request of the journal. Returns the problem that prevented it. */
async function streamOnce(name: string, signal: AbortSignal, onOpen: () => void): Promise<Problem | undefined> {
  const newest = await ask('get', '/requests', { query: { sandbox: name, order: 'newest', limit: 1 }, signal })
  if (!newest.ok || signal.aborted) return newest.ok ? undefined : newest.problem
  const since = newest.value.requests[0]?.number ?? 0
  const query = { sandbox: name, since, bodies: 'true' } as const
  const stream = await readEventStream(toTarget('/requests/stream', {}, query), signal, onOpen, receive)
  return stream.ok ? undefined : stream.problem
}

function receive(events: readonly StreamEvent[]): void {
  for (const { name, data } of events) {
    if (name === 'cleared') {
      dropWaiting()
      clearTick.value += 1
    } else if (name === 'dropped') {
      const { from, to }: { from: number; to: number } = JSON.parse(data)
      skipped += to - from + 1
    } else waiting.push(JSON.parse(data))
  }
  delivery ??= setTimeout(deliverWaiting, Math.max(0, deliveredAt + deliveryMs - performance.now()))
  tickTimer ??= setTimeout(() => {
    tickTimer = undefined
    trafficTick.value += 1
  }, trafficTickMs)
}

function deliverWaiting(): void {
  const arrival = { exchanges: waiting, skipped }
  dropWaiting()
  deliveredAt = performance.now()
  for (const listener of listeners) listener(arrival)
}

function dropWaiting(): void {
  clearTimeout(delivery)
  delivery = undefined
  waiting = []
  skipped = 0
}

/** A server-sent event: `{ name: 'request', data: '{"id":"req-1",...}' }`. */
interface StreamEvent {
  readonly name: string
  readonly data: string
}

/** Reads server-sent events by `fetch`, since `EventSource` sends no token, until the stream ends or cannot open. */
async function readEventStream(
  target: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvents: (events: readonly StreamEvent[]) => void,
): Promise<Asked<undefined>> {
  const response = await fetchControl(target, { signal })
  if (!response.ok) return response
  const reader = response.value.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return { ok: true, value: undefined }
  onOpen()
  let rest = ''
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const blocks = (rest + piece.value).split('\n\n')
      rest = blocks.pop() ?? ''
      const events = blocks.map(parseEvent).filter((event) => event !== undefined)
      if (events.length > 0) onEvents(events)
    }
  } catch {
    // The connection was lost or the page has closed it; both end the stream.
  }
  return { ok: true, value: undefined }
}

/** Parses the lines of an event; undefined: a comment, which only holds the connection open. */
function parseEvent(block: string): StreamEvent | undefined {
  let name = 'message'
  let data: string | undefined
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) name = line.slice(7)
    else if (line.startsWith('data: ')) data = line.slice(6)
  }
  return data === undefined ? undefined : { name, data }
}
