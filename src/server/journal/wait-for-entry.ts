import { clearTimeout, setImmediate, setTimeout } from '../../base/core/timers.ts'
import type { Journal } from './journal.ts'

/** The cause that ended a wait: a change of the journal, the time limit, or an abort signal. */
type WaitOutcome = 'entry' | 'time' | 'end'

/**
 * Waits until the journal has another version than `version`, for at most `ms` milliseconds, or until one of the
 * signals `ends` is aborted. The promise resolves after the current turn, once for all entries of that turn, so that
 * requests are not delayed.
 */
export function waitForEntry(
  journal: Journal,
  version: number,
  ms: number,
  ends: readonly AbortSignal[],
): Promise<WaitOutcome> {
  if (ends.some(({ aborted }) => aborted)) return Promise.resolve('end')
  return new Promise((resolve, reject) => {
    const finish = (outcome: WaitOutcome) => {
      clearTimeout(timer)
      unsubscribe()
      for (const signal of ends) signal.removeEventListener('abort', end)
      setImmediate(resolve, outcome)
    }
    const end = () => finish('end')
    const timer = setTimeout(finish, ms, 'time')
    const unsubscribe = journal.onChange(() => finish('entry'))
    for (const signal of ends) signal.addEventListener('abort', end)
    // An entry may have come between the reading of `version` and the subscription.
    journal.version().then((current) => {
      if (current !== version) finish('entry')
    }, reject)
  })
}
