import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import { context, event, exportSandbox, listEvents, recordAll } from '../drafts.ts'
import { openNew, openOrFail } from '../file/open-file.ts'

describe('a table of many events', () => {
  test('is listed as it was when the list began', async () => {
    const store = createMemoryStore()
    await recordAll(
      store,
      Array.from({ length: 2500 }, (_, index) => `no-${index}`),
    )
    const listing = listEvents(store, 'default')
    await recordAll(store, ['no-2400', 'no-2500'])
    const { events } = await listing
    expect(events.length).toBe(2500)
    expect(events[2400]?.replays).toBe(0)
  })

  test('has texts of any kind and size unchanged after a restart', async () => {
    const texts = ['', 'größe', '会話', '\ud800', '\u2028\n\r\t"\\', '__proto__', 'x'.repeat(200_000)]
    const { path, store } = await openNew()
    for (const value of texts) await store.recordEvent(context, event({ value, properties: { [value]: [value] } }))
    const before = await exportSandbox(store, 'default')
    await store.close()
    const again = await openOrFail(path)
    expect(await exportSandbox(again.store, 'default')).toEqual(before)
  })
})
