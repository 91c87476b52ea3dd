import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  clientSight,
  type Delivery,
  deliveryOutcome,
  type OutgoingReply,
  type SendProgress,
} from '../../service/exchange/delivery.ts'

/** The listeners for the client's end of connections, each of the latest reply if that was sent whole. */
const leaveListeners = new WeakMap<Socket, OutgoingReply['onLeave']>()

/**
 * Watches a connection for its end by the client. A reset is announced as soon as it is read: Node emits `error` and
 * `close` some turns later, in which the client's retry on another connection could be handled.
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

/** Calls `onEnd` once, at the end of the delivery. Returns a function that ends the delivery at once. */
export function watchEnd(
  onEnd: NonNullable<OutgoingReply['onEnd']>,
  { delivery, onLeave }: OutgoingReply,
  progress: SendProgress,
  res: ServerResponse,
): () => void {
  const { socket } = res.req
  let isFinished = false
  const finish = () => {
    if (isFinished) return // both closes are announced in one emit, which calls a listener that is removed meanwhile
    isFinished = true
    // After a write that failed, Node calls the response finished, too.
    const isComplete = res.writableFinished && !socket.errored
    onEnd(deliveryOutcome(delivery.mode, isComplete, progress), clientSight(isComplete, progress))
    if (isComplete && onLeave) leaveListeners.set(socket, onLeave)
  }
  leaveListeners.set(socket, undefined) // its client goes on, so it has read the reply before
  if (res.destroyed || socket.destroyed) finish()
  else if (isImmediate(delivery) && res.socket) res.on('close', finish)
  else watchConnection(finish, res)
  return finish
}

const isImmediate = ({ delayMs, mode }: Delivery) => delayMs === 0 && mode.kind === 'whole'

/**
 * Watches the connection, too: a response that waits behind another announces no end, and the end of what the client
 * sends comes some turns before the close, in which the client's retry on another connection could be handled.
 */
function watchConnection(finish: () => void, res: ServerResponse): void {
  const { socket } = res.req
  const finishOnce = () => {
    res.off('close', finishOnce)
    socket.off('close', finishOnce).off('end', finishOnce)
    finish()
  }
  res.on('close', finishOnce)
  socket.setMaxListeners(0) // one for each pipelined request, of which there may be any number
  socket.on('close', finishOnce).on('end', finishOnce)
}
