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
    ...(evicted > 0 ? [`earlier requests that the journal had evicted (--journal-size): ${evicted}`] : []),
    ...(deleted > 0
      ? [`earlier requests that were deleted from the journal while the state stayed: ${deleted}`]
      : []),
    ...(unfinished > 0 ? [`requests that had not ended when the bundle was written: ${unfinished}`] : []),
    ...(changes > 0 ? [`changes by the control plane that were too many to be held: ${changes}`] : []),
  ]
}
