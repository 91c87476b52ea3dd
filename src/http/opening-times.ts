import type { Socket } from 'node:net'
import { monotonicNow } from '../core/timers.ts'

/** The opening times of connections that have sent no request yet, by the process's monotonic clock, milliseconds. */
const openingTimes = new WeakMap<Socket, number>()

/** Stores the present time as the opening time of a connection. */
export function storeOpeningTime(socket: Socket): void {
  openingTimes.set(socket, monotonicNow())
}

/** Returns the opening time of a connection for its first request; undefined for a later one. */
export function takeOpeningTime(socket: Socket): number | undefined {
  const time = openingTimes.get(socket)
  if (time !== undefined) openingTimes.delete(socket)
  return time
}
