import { collections, recordsOf } from '../collections/index.ts'
import { promptCollection } from '../collections/prompts.ts'
import type { Change, StateData } from '../memory/state-data.ts'

/**
 * Throws if a change makes a record longer than a line of the state file can be, since no checkpoint could be written from then on.
 * `length` is that of the change's own JSON, in characters.
 */
export function checkRecordLength(state: StateData, change: Change, length: number, max: number): void {
  if (!isTooLong(state, change, length, max)) return
  const hint =
    change.op === 'version'
      ? 'a prompt with all its versions; use another externalPromptId'
      : 'send less in it'
  throw new Error(`a record of the state file must not have more than ${max} characters: ${hint}`)
}

function isTooLong(state: StateData, change: Change, length: number, max: number): boolean {
  switch (change.op) {
    case 'version': {
      const prompts = state.sandbox(change.sandbox).data.table(promptCollection)
      return prompts.lengthOf(change.prompt.promptId) + length > max
    }
    case 'import': // each record is a part of the change
      return length > max && hasLongRecord(change, max)
    default:
      return length > max
  }
}

function hasLongRecord({ state }: Extract<Change, { op: 'import' }>, max: number): boolean {
  return collections.some((collection) =>
    recordsOf(state, collection).some((record) => JSON.stringify(record).length > max),
  )
}
