import { expect, test, vi } from 'vitest'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event, exportSandbox, importDocument, listEvents, productId, prompt } from '../drafts.ts'
import { openTwoReplicas } from './open-redis.ts'

const query = { productIds: [productId], from: '2026-01-01', to: '2026-01-15' }

describeWithRedis('a replica that shares its state in Redis', () => {
  const redis = sharedRedis()

  test('reads settings, impact and quality with three commands, and sees every change by another replica', async () => {
    const [reader, writer] = await openTwoReplicas(redis().url)
    const spies = [vi.spyOn(reader.connection, 'call'), vi.spyOn(reader.connection, 'run')]
    const read = async () => {
      const settings = await reader.shared.readSettings('default')
      const [impact, { weight }] = [
        await reader.store.eventImpact('default', query),
        await reader.store.getQuality('default'),
      ]
      return { settings, weight, events: impact.get('2026-01-15')?.events }
    }
    expect(await read()).toEqual({ settings: undefined, weight: 0.1, events: undefined })
    expect(spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(3)
    for (let events = 1; events <= 3; events += 1) {
      await writer.store.recordEvent(context, event())
      await writer.store.putQuality('default', { weight: events / 10 })
      await writer.shared.updateSettings('default', () => ({ settings: { seed: `${events}` }, result: undefined }))
      expect(await read()).toEqual({ settings: { seed: `${events}` }, weight: events / 10, events })
    }
    await writer.store.reset('default')
    expect(await read()).toEqual({ settings: { seed: '3' }, weight: 0.1, events: undefined })
  })

  test('runs one script for each event it records, even if events are identical', async () => {
    const [one] = await openTwoReplicas(redis().url)
    const run = vi.spyOn(one.connection, 'run')
    const drafts = [event({ insertId: 'x' }), event({ insertId: 'x' }), event(), event(), event()]
    for (const draft of drafts) await one.store.recordEvent(context, draft)
    expect(run).toHaveBeenCalledTimes(drafts.length)
  })

  test('reads a sandbox as it was before or after an import, reset or restore, or refuses the read', async () => {
    const [{ store: writer }, { store: reader }] = await openTwoReplicas(redis().url)
    const fill = (value: string) =>
      Promise.all(Array.from({ length: 100 }, () => writer.recordEvent(context, event({ value }))))
    await fill('second')
    const second = await exportSandbox(writer, 'default')
    await writer.reset('default')
    await fill('first')
    await writer.addPromptVersion(context, prompt())
    const { snapshotId } = await writer.createSnapshot(context)
    let isDone = false
    const write = async () => {
      while (!isDone) {
        await importDocument(writer, 'default', second)
        await writer.reset('default')
        await writer.restoreSnapshot('default', snapshotId)
      }
    }
    const written = write()
    const seen = new Set<string>()
    for (let reading = 0; reading < 30 || seen.size < 2; reading += 1) {
      const read = await exportSandbox(reader, 'default').catch((error: unknown) => String(error))
      if (typeof read === 'string') {
        expect(read).toMatch(/was replaced while it was being read; send the request again/)
        continue
      }
      const { events, prompts } = read
      const values = new Set(events.map(({ fields }) => fields.value))
      seen.add(`${events.length} ${[...values].join()} ${prompts.length}`)
    }
    isDone = true
    await written
    const moments = ['100 first 1', '100 second 0', '0  0']
    expect([...seen].filter((moment) => !moments.includes(moment))).toEqual([])
  })

  test('carries out concurrent writes in the order in which they were started', async () => {
    const [one, two] = await openTwoReplicas(redis().url)
    for (let count = 0; count < 3; count += 1) await one.store.recordEvent(context, event({ value: 'same' }))
    const drafts = [{ value: 'same' }, { value: '1', insertId: 'a' }, { value: 'same' }, { value: '2' }]
    const receipts = await Promise.all(drafts.map((draft) => two.store.recordEvent(context, event(draft))))
    const { events } = await listEvents(one.store, 'default')
    expect(events.map(({ fields }) => fields.value).slice(3)).toEqual(drafts.map(({ value }) => value))
    expect(events.slice(3)).toEqual(receipts.map((receipt) => receipt.event))
  })
})
