/** The record types of the state. A new record type is a collection of its own and a line in both lists here. */
import type { QualitySettings, StoredEvent, StoredPrompt } from '../records.ts'
import type { Collection, PlainChange } from './collection.ts'
import { type EventChange, eventCollection } from './events.ts'
import { type PromptChange, promptCollection } from './prompts.ts'

/** All collections, in the order in which files and exports list their records. */
export const collections: readonly Collection[] = [eventCollection, promptCollection]

/** The records of a sandbox by the name of their collection. */
interface Records {
  readonly events: readonly StoredEvent[]
  readonly prompts: readonly StoredPrompt[]
}

/** Lists the collections without operations of their own. */
export const plainCollections = () => collections.filter(({ ops }) => ops.includes('put'))

/** The numbers of records by the name of their collection. */
export type RecordCounts = { readonly [Name in keyof Records]: number }

/** The quality settings and the records of a sandbox. */
export type SandboxContent = { readonly quality: QualitySettings } & Records

/** A stored sandbox. A member is missing if its collection is newer than the file or the export. */
export type StoredContent = Pick<SandboxContent, 'quality'> & Partial<Records>

/** A change of the records of any collection. */
export type CollectionChange = EventChange | PromptChange | PlainChange

/** Returns the collection that a change belongs to. Throws if there is none. */
export function findCollection({ op, collection }: { op: string; collection?: string }): Collection {
  const isNamed = ({ name }: Collection) => collection === undefined || collection === name
  const found = collections.find((each) => each.ops.includes(op) && isNamed(each))
  if (found === undefined) throw new Error(`no collection has the operation ${op}`)
  return found
}

/** Returns the records of a collection in valid content. */
export function recordsOf(content: StoredContent, { name }: Collection): readonly object[] {
  const records: Readonly<Record<string, unknown>> = content
  return (records[name] ?? []) as readonly object[] // the content is valid
}

/** Counts the records of each collection in valid content. */
export function countRecords(content: StoredContent): RecordCounts {
  return countEach((collection) => recordsOf(content, collection).length)
}

/** Counts the records of each collection. */
export function countEach(count: (collection: Collection) => number): RecordCounts {
  const counts = collections.map((collection) => [collection.name, count(collection)] as const)
  return Object.fromEntries(counts) as RecordCounts // a number for each collection
}
