import nodeModule from 'node:module'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Node's function that stores compiled code for the next start. Not available in Node 20. */
const { flushCompileCache } = nodeModule as { readonly flushCompileCache?: () => void }

const maxYoungSpaceBytes = 8 * 1024 * 1024

/** The pause between measurements once the space has that size: one takes a fifth of a collection's time. */
const measurePauseMs = 1000

/**
 * Tunes V8 for a server with few long-lived objects; numbers are in `test/bench/FINDINGS.md`.
 * - The heap grows by 75% of the live objects instead of by up to 300%, the young space to a quarter of its default.
 * - One thread collects young objects: so few survive that synchronising helper threads takes longer.
 *
 * The flags apply to the whole process. They are set after all code is loaded, and cached if Node does that: V8 rejects
 * cached code compiled with other flags.
 */
export function tuneV8(): void {
  flushCompileCache?.()
  setFlagsFromString('--heap-growing-percent=75')
  setFlagsFromString('--no-parallel-scavenge')
  // Measured after every collection while the space grows, then once per pause, since an idle process shrinks it.
  const observer = new PerformanceObserver(() => {
    const isSmall = readYoungSpaceBytes() < maxYoungSpaceBytes
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
    if (isSmall) return
    observer.disconnect()
    setTimeout(observe, measurePauseMs).unref()
  })
  const observe = () => observer.observe({ entryTypes: ['gc'] })
  observe()
}

function readYoungSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}
