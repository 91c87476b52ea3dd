import type { Json } from '../../core/json.ts'
import { jsonPieces } from '../../core/json-pieces.ts'
import { chunksInSlices } from '../../core/slices.ts'
import { collections, recordsOf } from '../collections/index.ts'
import { promptCollection } from '../collections/prompts.ts'
import type { Change, ImportChange, StateData } from '../memory/state-data.ts'

const MAX_BYTES_PER_CHARACTER = 3

/**
 * Throws if a change makes a record so long that its line of the state file could not be read again, or if the line of
 * the change in the log could not. `members`: the JSON of the change. `max`: the largest length of a record in
 * characters.
 */
export function checkRecordLength(state: StateData, change: Change, members: string, max: number): void {
  if (change.op === 'version') {
    const { promptId } = change.prompt
    const length = state.sandbox(change.sandbox).data.table(promptCollection).lengthOf(promptId)
    if (length + members.length <= max) return
    throw new Error(
      `prompt ${promptId} would have more than ${max} characters with all its versions; use another externalPromptId`,
    )
  }
  if (members.length <= max) return // this is a bound of its records, too
  if (change.op !== 'import' || hasLongRecord(change, max))
    throw new Error(`a record must not have more than ${max} characters`)
  const maxBytes = max * MAX_BYTES_PER_CHARACTER
  if (Buffer.byteLength(members) > maxBytes) throw new Error(`an import must not have more than ${maxBytes} bytes`)
}

/** Encodes the members of an import for its line of the log, in slices. */
export async function encodeImport({ state, data: _, ...head }: ImportChange): Promise<string> {
  let members = `${JSON.stringify(head).slice(1, -1)},"state":`
  for await (const chunk of chunksInSlices(jsonPieces(state as unknown as Json))) members += chunk
  return `${members}}`
}

function hasLongRecord({ state }: Extract<Change, { op: 'import' }>, max: number): boolean {
  return collections.some((collection) =>
    recordsOf(state, collection).some((record) => JSON.stringify(record).length > max),
  )
}
