import { useEffect, useRef } from 'preact/hooks'

/**
 * The rest after an answer, as a multiple of the time that the answer took. One page then takes at most a tenth of the
 * server's time.
 */
const restFactor = 9

/** Milliseconds of the longest rest: a list is not older than this and the time that it takes to read. */
const maxRestMs = 5_000

/** The asking that is under way. */
interface Asking {
  readonly key: string
  /** Is true if something has happened since, so that the answer will be old. */
  isStale: boolean
}

/**
 * Asks at once, and again when one of the reasons has changed, for as long as a component is shown. One question is
 * under way at a time. The rest after it grows with its cost, since otherwise the server would be busy with this page
 * alone. A page that is hidden asks nothing: it is given a reason when it is shown again and has connected anew.
 *
 * `key`: the question. Another question is asked at once; `ask` belongs to the key. `reasons`: as many at each drawing.
 */
export function usePacedAsking(key: string, ask: () => Promise<void>, reasons: readonly unknown[]): void {
  const current = useRef<Asking | undefined>(undefined)
  useEffect(() => {
    if (current.current?.key === key) current.current.isStale = true
    else void askAtPace(key, ask, current)
  }, [key, ...reasons])
  useEffect(
    () => () => {
      current.current = undefined
    },
    [],
  )
}

/** Asks until the answer is not old, or until another question takes its place. */
async function askAtPace(
  key: string,
  ask: () => Promise<void>,
  current: { current: Asking | undefined },
): Promise<void> {
  const mine: Asking = { key, isStale: true }
  current.current = mine
  do {
    mine.isStale = false
    const startedAt = performance.now()
    await ask()
    const restMs = Math.min(maxRestMs, (performance.now() - startedAt) * restFactor)
    await new Promise((resolve) => setTimeout(resolve, restMs))
  } while (mine.isStale && current.current === mine && !document.hidden)
  if (current.current === mine) current.current = undefined
}
