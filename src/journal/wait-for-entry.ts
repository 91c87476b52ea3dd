import type { Journal } from './journal.ts'

/** What ended a wait. */
export type Woken = 'entry' | 'time' | 'end'

/**
 * Waits for the next entry, at most `ms` milliseconds, and no longer than until one of the signals is aborted. Whoever waits is woken
 * after the turn that recorded the entry, and once for many that come together, so that requests are not held up.
 */
export function nextEntry(journal: Journal, ms: number, ends: readonly AbortSignal[]): Promise<Woken> {
  if (ends.some(({ aborted }) => aborted)) return Promise.resolve('end')
  return new Promise((resolve) => {
    const wake = (why: Woken) => {
      clearTimeout(timer)
      leave()
      for (const signal of ends) signal.removeEventListener('abort', end)
      setImmediate(resolve, why)
    }
    const end = () => wake('end')
    const timer = setTimeout(wake, ms, 'time')
    const leave = journal.await(() => wake('entry'))
    for (const signal of ends) signal.addEventListener('abort', end)
  })
}
