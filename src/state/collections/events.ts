import { insertKey } from '../events.ts'
import { EventTable } from '../memory/event-table.ts'
import type { StoredEvent } from '../records.ts'
import type { Collection } from './collection.ts'

/** The business events. */
export const eventCollection: Collection<StoredEvent, EventTable, 'events'> = {
  name: 'events',
  schema: 'event',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: (events) => EventTable.of(events),
  prepareTable: (events) => EventTable.prepare(events),
}
