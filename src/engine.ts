import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes that the engine may take for young objects. */
const youngSpace = 8 * 1024 * 1024

/**
 * Keeps the engine from taking much more memory than we hold: its heap grows by a third beyond what lives in it and not by
 * three times of that, and its room for young objects to a quarter of what it would be. As little of what we make gets old, it costs
 * a few percent of the speed (`test/bench/FINDINGS.md`). For a process of our own, since it is the engine that is set; and once its code is
 * loaded, since V8 refuses code that was compiled ahead under other flags.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=30')
  let mayGrow = true
  new PerformanceObserver(() => {
    // Looked at after every collection, since it shrinks in quiet times and has to grow again.
    const isSmall = sizeOfYoungSpace() < youngSpace
    if (isSmall === mayGrow) return
    mayGrow = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
  }).observe({ entryTypes: ['gc'] })
}

function sizeOfYoungSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}
