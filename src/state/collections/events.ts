import { insertKey } from '../events.ts'
import { EventList } from '../memory/event-list.ts'
import { EventTable } from '../memory/event-table.ts'
import type { StoredEvent } from '../records.ts'
import type { Collection } from './collection.ts'

/** The business events. They are many, so their table compresses them. */
export const eventCollection: Collection<StoredEvent, EventTable, 'events'> = {
  name: 'events',
  schema: 'event',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: (events) => new EventTable(EventList.of(events)),
}
