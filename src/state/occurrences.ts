import { deriveUuid } from '../base/core/seeded.ts'

/** The number of records of equal content by the id of the first one, and 1 by the id of each later one. */
export type Occurrences = Pick<ReadonlyMap<string, number>, 'get'>

/**
 * Derives the id of a record that has no name of the caller's. `first`: its id if none was equal before. The numbers of
 * later ones may have gaps, since an import may lack some, so ids that are taken are passed over.
 */
export function deriveOccurrenceId(
  seedPath: readonly string[],
  first: string,
  occurrences: Occurrences,
): { readonly id: string; readonly repeatOf?: string } {
  let before = occurrences.get(first) ?? 0
  if (before === 0) return { id: first }
  for (; ; before += 1) {
    const id = deriveUuid([...seedPath, 'repeat', first, before])
    if (occurrences.get(id) === undefined) return { id, repeatOf: first }
  }
}

/** Counts a record among those of equal content. */
export function countOccurrence(occurrences: Map<string, number>, id: string, repeatOf: string | undefined): void {
  const first = repeatOf ?? id
  occurrences.set(first, (occurrences.get(first) ?? 0) + 1)
  if (repeatOf !== undefined) occurrences.set(id, 1)
}
