import { sleep } from '../../core/timers.ts'
import type { RedisConnection } from './connection.ts'

/** The number of times that Redis is asked, 10 ms apart. */
const MAX_QUESTIONS = 100

/**
 * Waits until Redis has freed the memory of deleted keys, which it does beside other commands, so that a full one takes
 * changes again.
 */
export async function waitForMemory(connection: RedisConnection): Promise<void> {
  for (let questions = 0; questions < MAX_QUESTIONS; questions += 1) {
    const info = String(await connection.call('info', 'memory'))
    if (!/^lazyfree_pending_objects:[1-9]/m.test(info)) return
    await sleep(10)
  }
}
