import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { monotonicNow } from '../../base/core/timers.ts'
import {
  type Delivery,
  type DeliveryOutcome,
  delivered,
  type OutgoingReply,
  usableDeliveries,
} from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'

/** The connections on which no request has arrived yet, each with the time when it was opened. */
const unusedConnections = new WeakMap<Socket, number>()

/**
 * The open connections that have carried requests to the service, each with the time of its first such request.
 * Requests to the control plane do not count, since a test that sends them may share its connections with the client.
 */
const serviceConnections = new Map<Socket, number>()

/** The latest times in `serviceConnections`, as a list that requests share until the map changes. */
let openTimes: readonly number[] = []

/** The maximum length of `openTimes`. The times of older connections are left out. */
const maxOpenTimes = 100

/** Keeps a connection registered until either side ends it. */
export function registerConnection(socket: Socket): void {
  unusedConnections.set(socket, monotonicNow())
  const remove = () => {
    if (serviceConnections.delete(socket)) openTimes = [...serviceConnections.values()].slice(-maxOpenTimes)
  }
  socket.once('end', remove).once('close', remove)
}

/** Returns a request's connection and marks it as used. `openedAt` is set only for a connection's first request. */
export function readConnection(
  socket: Socket,
  isService: boolean,
  now: number,
): Pick<SimRequest, 'openedAt' | 'connection'> {
  const openedAt = unusedConnections.get(socket)
  unusedConnections.delete(socket)
  if (isService && !serviceConnections.has(socket) && !socket.destroyed) {
    serviceConnections.set(socket, now)
    openTimes = [...serviceConnections.values()].slice(-maxOpenTimes)
  }
  return { openedAt, connection: { connectedAt: serviceConnections.get(socket) ?? now, openTimes } }
}

/** The `onLeave` listener of each connection's latest complete reply, called when the client closes the connection. */
const leaveListeners = new WeakMap<Socket, OutgoingReply['onLeave']>()

/**
 * Calls the `onLeave` listener when the client closes the connection. A reset is reported as soon as it is read, since
 * a retry on a different connection may be handled in the few event loop turns before Node emits `error` and `close`.
 */
export function watchLeave(socket: Socket): void {
  const announce = (isReset: boolean) => {
    const onLeave = leaveListeners.get(socket)
    leaveListeners.delete(socket)
    onLeave?.(isReset)
  }
  const { destroy } = socket
  socket.once('end', () => announce(false))
  socket.destroy = (error) => {
    if (error) announce(true)
    return destroy.call(socket, error)
  }
}

/** The progress of sending a reply: how much has been sent, and what ended the delivery. */
export interface Sending {
  readonly outgoing: OutgoingReply
  readonly res: ServerResponse
  /** Bytes of the body sent so far, counted in whole chunks. */
  sentBytes: number
  /** When the head was sent, in milliseconds on the monotonic clock; undefined before then, or for a queued reply. */
  headSentAt: number | undefined
  /** What ended the delivery early; undefined if the delivery was complete or the client disconnected. */
  endedBy: 'scenario' | 'stop' | 'upstream' | undefined
}

/** Calls `onEnd` once, when the delivery ends. Returns a function that reports the end immediately. */
export function watchEnd(sending: Sending, onEnd: NonNullable<OutgoingReply['onEnd']>): () => void {
  const { res, outgoing } = sending
  const { delivery, onLeave } = outgoing
  const { socket } = res.req
  let isFinished = false
  const finish = () => {
    if (isFinished) return // an emit also calls listeners that are removed while it runs
    isFinished = true
    // `writableFinished` is also true after a failed write.
    const isComplete = res.writableFinished && !socket.errored
    const { headSentAt, endedBy } = sending
    onEnd(outcomeOf(sending, isComplete), { headSentAt, hasClientLeft: !isComplete && endedBy === undefined })
    if (isComplete && onLeave) leaveListeners.set(socket, onLeave)
  }
  leaveListeners.set(socket, undefined) // a client that sends another request has usually read the earlier reply
  if (res.destroyed || socket.destroyed) finish()
  else if (isImmediate(delivery) && res.socket) res.on('close', finish)
  else watchConnection(finish, res)
  return finish
}

/** Returns the outcome of a delivery. `isComplete`: true if the last byte was passed to the operating system. */
function outcomeOf({ outgoing, sentBytes, endedBy }: Sending, isComplete: boolean): DeliveryOutcome {
  if (!usableDeliveries.includes(outgoing.delivery.mode.kind)) return { kind: 'damaged' }
  if (endedBy === 'upstream') return { kind: 'upstream-gone', sentBytes }
  if (isComplete) return delivered
  return { kind: endedBy === 'stop' ? 'server-stopped' : 'client-gone', sentBytes }
}

const isImmediate = ({ delayMs, mode }: Delivery) => delayMs === 0 && mode.kind === 'whole'

/**
 * Watches both the response and its connection, since a response queued behind another one does not emit `close`.
 * Watches `end`, too, since `close` comes a few event loop turns later, when a retry may already have been handled.
 */
function watchConnection(finish: () => void, res: ServerResponse): void {
  const { socket } = res.req
  const finishOnce = () => {
    res.off('close', finishOnce)
    socket.off('close', finishOnce).off('end', finishOnce)
    finish()
  }
  res.on('close', finishOnce)
  socket.setMaxListeners(0) // unlimited, since each pipelined request adds listeners
  socket.on('close', finishOnce).on('end', finishOnce)
}

/** The time allowed for active requests to finish when the server stops, in milliseconds. */
export const shutdownGraceMs = 5_000

/** Closes the connection when the server stops, if the delivery (such as a hang or a long delay) cannot end in time. */
export function endAtStop(sending: Sending, stopping: AbortSignal): void {
  const { res, outgoing } = sending
  const durationMs = durationOf(outgoing.delivery)
  const { socket } = res.req
  if (durationMs <= shutdownGraceMs || socket.destroyed) return
  const endsAt = monotonicNow() + durationMs
  const close = () => {
    if (endsAt - monotonicNow() <= shutdownGraceMs) return
    sending.endedBy = 'stop'
    onSocket(res, () => socket.destroy())
  }
  if (stopping.aborted) close()
  const stopWatching = () => stopping.removeEventListener('abort', close)
  stopping.addEventListener('abort', close)
  res.once('close', stopWatching)
  socket.once('close', stopWatching)
}

/** Calls `act` as soon as the response has its connection, which an earlier pipelined response may still be using. */
export function onSocket(res: ServerResponse, act: (socket: Socket) => void): void {
  if (res.socket) act(res.socket)
  else res.once('socket', act)
}

function durationOf({ delayMs, mode }: Delivery): number {
  if (mode.kind === 'hang') return Number.POSITIVE_INFINITY
  return mode.kind === 'dribble' ? delayMs + mode.ms : delayMs
}
