import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { monotonicNow } from '../../base/core/timers.ts'
import type { Delivery } from '../../service/exchange/delivery.ts'

/** The milliseconds that active requests have to finish after a stop was requested. */
export const shutdownGraceMs = 5_000

/** Closes the connection at a stop, after `onCut`, if the delivery cannot end in time: a hang, or a long delay. */
export function endAtStop(delivery: Delivery, res: ServerResponse, stopping: AbortSignal, onCut: () => void): void {
  const lastsMs = durationOf(delivery)
  const { socket } = res.req
  if (lastsMs <= shutdownGraceMs || socket.destroyed) return
  const endsAt = monotonicNow() + lastsMs
  const close = () => {
    if (endsAt - monotonicNow() <= shutdownGraceMs) return
    onCut()
    onSocket(res, () => socket.destroy())
  }
  if (stopping.aborted) close()
  const stopWatching = () => stopping.removeEventListener('abort', close)
  stopping.addEventListener('abort', close)
  res.once('close', stopWatching)
  socket.once('close', stopWatching)
}

/** Calls `act` as soon as the response has its connection, for which it may wait behind another: HTTP pipelining. */
export function onSocket(res: ServerResponse, act: (socket: Socket) => void): void {
  if (res.socket) act(res.socket)
  else res.once('socket', act)
}

function durationOf({ delayMs, mode }: Delivery): number {
  if (mode.kind === 'hang') return Number.POSITIVE_INFINITY
  return mode.kind === 'dribble' ? delayMs + mode.ms : delayMs
}
