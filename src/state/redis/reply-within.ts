import { clearTimeout, nextTurn, setTimeout } from '../../core/timers.ts'

/** The message of a reply that is too late. */
export const TOO_LATE = 'Command timed out'

/**
 * Returns the reply, or rejects if it takes longer than `ms` milliseconds. The time is up only once the input that
 * waits was read: a process that was busy itself, such as with the decoding of a large sandbox, has not read the
 * replies that came meanwhile.
 */
export function replyWithin<T>(ms: number, reply: Promise<T>, lateMessage = TOO_LATE): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(async () => {
      await nextTurn()
      await nextTurn() // the first one can come before the input
      reject(new Error(lateMessage))
    }, ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
