import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes that the engine may take for young objects. */
const youngSpace = 8 * 1024 * 1024

/** How long it is not looked at once it is that large, milliseconds: to look takes a fifth of the time that a collection does. */
const pauseMs = 1000

/**
 * Suits the engine to a server of few lasting objects. Its heap grows by a third beyond what lives in it and not by three times
 * of that, and its room for young objects to a quarter of what it would be. One thread collects these: so few survive
 * that waiting for helpers takes longer. And the quicker of its two compilers for busy code is left out (Maglev, which not
 * every Node has switched on): it works with 11 to 20 MB that the C library does not give back. Figures stand in
 * `test/bench/FINDINGS.md`. For a process of our own, since it is the engine that is set; and once its code is loaded, since
 * V8 refuses code that was compiled ahead under other flags.
 */
export function tuneV8(): void {
  setFlagsFromString('--heap-growing-percent=30')
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-maglev')
  // Looked at after every collection as long as it is to grow, and then once in a while, since it shrinks in quiet times.
  const observer = new PerformanceObserver(() => {
    const isSmall = sizeOfYoungSpace() < youngSpace
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
    if (isSmall) return
    observer.disconnect()
    setTimeout(observe, pauseMs).unref()
  })
  const observe = () => observer.observe({ entryTypes: ['gc'] })
  observe()
}

function sizeOfYoungSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}
