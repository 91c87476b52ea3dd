import type { Socket } from 'node:net'
import { monotonicNow } from '../../base/core/timers.ts'
import type { SimRequest } from '../../service/exchange/request.ts'

/** The opening times of connections that have sent no request yet. */
const unused = new WeakMap<Socket, number>()

/**
 * The open connections that have sent requests to the service, with the time of the first: a test and its client may
 * share connections to the control plane.
 */
const serving = new Map<Socket, number>()

/** The times of `serving`, shared by all requests until they change. */
let openTimes: readonly number[] = []

/** The most connections that a request is compared with. */
const maxOpenTimes = 100

/** Registers a connection until either side has ended it. */
export function registerConnection(socket: Socket): void {
  unused.set(socket, monotonicNow())
  const remove = () => {
    if (serving.delete(socket)) openTimes = [...serving.values()].slice(-maxOpenTimes)
  }
  socket.once('end', remove).once('close', remove)
}

/** Returns the connection of a request; `openedAt` for its first request alone. */
export function readConnection(
  socket: Socket,
  isService: boolean,
  now: number,
): Pick<SimRequest, 'openedAt' | 'connection'> {
  const openedAt = unused.get(socket)
  unused.delete(socket)
  if (isService && !serving.has(socket) && !socket.destroyed) {
    serving.set(socket, now)
    openTimes = [...serving.values()].slice(-maxOpenTimes)
  }
  return { openedAt, connection: { connectedAt: serving.get(socket) ?? now, openTimes } }
}
