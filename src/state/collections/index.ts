/** The record types of the state. To add one, write a collection, then add it to the list and the types below. */
import type { QualitySettings, StoredEvent, StoredPrompt } from '../records.ts'
import type { Collection } from './collection.ts'
import { type EventChange, eventCollection } from './events.ts'
import { type PromptChange, promptCollection } from './prompts.ts'

/** All collections, in the order in which files and exports list their records. */
export const collections: readonly Collection[] = [eventCollection, promptCollection]

/** The content of a stored sandbox. A list is absent from files and exports that are older than its collection. */
export interface StoredContent {
  readonly quality: QualitySettings
  readonly events?: readonly StoredEvent[]
  readonly prompts?: readonly StoredPrompt[]
}

export type RecordCounts = Readonly<Record<Exclude<keyof StoredContent, 'quality'>, number>>

export type CollectionChange = EventChange | PromptChange

export function findCollection({ op }: { readonly op: string }): Collection {
  const found = collections.find(({ ops }) => ops.includes(op))
  if (found === undefined) throw new Error(`no collection has the operation "${op}"`)
  return found
}

export function recordsOf(content: StoredContent, { name }: Collection): readonly object[] {
  return content[name as keyof RecordCounts] ?? []
}

export function countRecords(content: StoredContent): RecordCounts {
  return countEach((collection) => recordsOf(content, collection).length)
}

export function countEach(count: (collection: Collection) => number): RecordCounts {
  const counts = collections.map((collection) => [collection.name, count(collection)] as const)
  return Object.fromEntries(counts) as RecordCounts // a number for each collection
}
