import type { BundledSandbox } from './bundle.ts'

/**
 * The changes that a replay leaves out: the clock, since each request has its instant, and the snapshots, since a change that restores
 * one has the state after it.
 */
export const NOT_REPLAYED: ReadonlySet<string> = new Set([
  'putClock',
  'advanceClock',
  'createSnapshot',
  'deleteSnapshot',
])

/** Returns a sentence for each part of a sandbox's history that the bundle does not have. */
export function describeMissing({ start, missing }: BundledSandbox): string[] {
  const { evicted, deleted, unfinished, changes } = missing
  return [
    ...(start.problem === undefined ? [] : [`the state at the start is not known: ${start.problem}`]),
    ...(start.redacted ? ['the state at the start was redacted'] : []),
    ...(evicted > 0 ? [`the journal had evicted ${evicted} earlier requests (--journal-size)`] : []),
    ...(deleted > 0
      ? [`${deleted} earlier requests were deleted from the journal, and the state stayed`]
      : []),
    ...(unfinished > 0 ? [`${unfinished} requests had not ended when the bundle was written`] : []),
    ...(changes > 0 ? [`${changes} changes by the control plane were too many to be held`] : []),
  ]
}
