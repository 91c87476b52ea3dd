import nodeModule from 'node:module'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Node's function that stores compiled code for the next start. It is not available in Node 20. */
const { flushCompileCache } = nodeModule as { readonly flushCompileCache?: () => void }

const maxYoungSpaceBytes = 8 * 1024 * 1024

/** The pause in milliseconds before a full-size young space is remeasured. Measuring takes a fifth as long as a GC. */
const measurePauseMs = 1000

/**
 * Tunes V8 for a server with few long-lived objects; measurements are in `test/bench/FINDINGS.md`.
 * - The heap grows by 75% of live bytes, not by up to 300%; the young space grows to at most 8 MB.
 * - One thread collects young objects: so few survive that synchronizing helper threads would cost more than they save.
 *
 * The flags apply to the whole process. They are set only after all code is loaded and, if Node supports it, cached,
 * because V8 rejects cached code that was compiled with other flags.
 */
export function tuneV8(): void {
  flushCompileCache?.()
  setFlagsFromString('--heap-growing-percent=75')
  setFlagsFromString('--no-parallel-scavenge')
  // Measure after every collection while the space grows, then after each pause, since an idle V8 shrinks the space.
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
