import { expect, onTestFinished, test, vi } from 'vitest'
import type { Json } from '../../../src/base/core/json.ts'
import { silentLog } from '../../../src/base/core/log.ts'
import { bodyToText, captureBody, isComplete, parseBody } from '../../../src/server/journal/entry-json.ts'
import { StreamFollower } from '../../../src/server/journal/follower.ts'
import { RedisConnection } from '../../../src/state/redis/connection.ts'
import { openJournalStream } from '../../../src/state/redis/journal-stream.ts'
import { parseRedisUrl } from '../../../src/state/redis/location.ts'
import { StoreUnavailableError } from '../../../src/state/store.ts'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { type EntryParts, entryFor, unparsed } from './entries.ts'

let replicaCount = 0

/** Opens the journal of a new replica. `port` is the port of Redis or of a proxy in front of it. */
async function openJournal(port: number, { size = 1000, streamSize = 100_000 } = {}) {
  const location = parseRedisUrl(`redis://127.0.0.1:${port}`, 'follow')
  if (!location.ok) throw new Error(location.error)
  const connection = await RedisConnection.open(location.value, { commandMs: 5000, connectMs: 5000 })
  onTestFinished(() => connection.close())
  replicaCount += 1
  const replica = `${replicaCount}`.padStart(8, '0')
  const problems: string[] = []
  const log = { ...silentLog, warn: ({ problem }: object & { problem?: string }) => problems.push(String(problem)) }
  const shared = openJournalStream({ connection, prefix: 'follow', replica, size: streamSize })
  const follower = new StreamFollower(size, log, shared)
  const { journal } = follower
  const append = async (parts: EntryParts = {}, ownToken?: string, responseBody?: Json) =>
    follower.append({ ...entryFor(journal, parts), ownToken }, { ...unparsed, responseBody })
  return { follower, journal, append, problems, connection }
}

/** How an exchange ends if its client disconnects after three bytes of the response. */
const delivery = { kind: 'client-gone', sentBytes: 3 } as const
const end = { delivery, hasClientLeft: true, headSentAt: undefined, endedAt: 7 }

type OpenedJournal = Awaited<ReturnType<typeof openJournal>>

/** Opens the journals of two replicas that share a new Redis server. `limits` applies only to the first journal. */
async function openTwo(limits?: Parameters<typeof openJournal>[1]): Promise<[OpenedJournal, OpenedJournal]> {
  const { port } = await redisForTest()
  return [await openJournal(port, limits), await openJournal(port)]
}

const appendMany = ({ append }: OpenedJournal, count: number, sandbox = 'default') =>
  Promise.all(Array.from({ length: count }, () => append({ sandbox, requestBody: '{"value":"1"}' })))

describeWithRedis('a journal that follows the stream shared by all replicas', () => {
  test('contains each exchange exactly once, however often the connection to Redis breaks during a read', {
    tags: ['long'],
  }, async () => {
    const redis = await redisForTest()
    const proxy = await startCuttingProxy(redis.port)
    const writer = await openJournal(redis.port)
    const { journal } = await openJournal(proxy.port, { size: 100_000 })
    const entryNumbers: number[] = []
    journal.onEntry(({ number }) => entryNumbers.push(number))
    const batchSize = 450 // a read returns at most 200 messages
    let total = 0
    let brokenReads = 0
    const readMore = async (cutAt: number) => {
      await appendMany(writer, batchSize)
      total += batchSize
      const before = proxy.receivedBytes
      proxy.cutAfter(cutAt)
      await journal.list().catch(() => {
        brokenReads += 1
      })
      return proxy.receivedBytes - before
    }
    await readMore(Number.POSITIVE_INFINITY)
    const length = await readMore(Number.POSITIVE_INFINITY)
    const cuts = 12
    for (let cut = 0; cut <= cuts; cut += 1) {
      await readMore(1 + Math.round((length * cut) / cuts))
      proxy.cutAfter(Number.POSITIVE_INFINITY)
      const counts = await vi.waitFor(() => journal.counts('default'), 30_000)
      expect(counts).toMatchObject({ recorded: total, dropped: 0 })
      expect(journal.hasLoss(undefined)).toBe(false)
    }
    expect(brokenReads).toBeGreaterThan(cuts - 4)
    expect(entryNumbers).toEqual(Array.from({ length: total }, (_, index) => index + 1))
  })

  test('counts, for each sandbox, exactly the exchanges that were trimmed before they were read', async () => {
    const [writer, { journal }] = await openTwo({ streamSize: 100 })
    await appendMany(writer, 10, 'early')
    expect(await journal.counts('early')).toMatchObject({ recorded: 10, dropped: 0 })
    await appendMany(writer, 5, 'early')
    await appendMany(writer, 7, 'missed')
    await appendMany(writer, 600, 'loud')
    await appendMany(writer, 1, 'late')
    expect(await journal.counts('early')).toMatchObject({ recorded: 15, dropped: 5 })
    expect(await journal.counts('missed')).toMatchObject({ recorded: 7, dropped: 7 })
    expect(await journal.counts('loud')).toMatchObject({ recorded: 600 })
    expect(await journal.counts('late')).toMatchObject({ recorded: 1, dropped: 0 })
    expect(['early', 'missed', 'loud', 'late'].map((name) => journal.hasLoss(name))).toEqual([true, true, true, false])
    expect((await journal.list({ sandbox: 'late' })).entries.map(({ number }) => number)).toEqual([623])
  })

  test('notices that a sandbox was cleared, even if the message that announced this was trimmed', async () => {
    const [writer, { journal }] = await openTwo({ streamSize: 100 })
    const cleared: string[] = []
    journal.onClear((sandbox) => cleared.push(sandbox))
    for (const name of ['used', 'unused']) await appendMany(writer, 3, name)
    expect(await journal.counts(undefined)).toMatchObject({ recorded: 6 })
    for (const name of ['used', 'unused']) await writer.journal.clear(name)
    await appendMany(writer, 4, 'used')
    await appendMany(writer, 600, 'loud')
    expect(await journal.counts('used')).toMatchObject({ recorded: 4, dropped: 4 })
    expect(await journal.counts('unused')).toMatchObject({ recorded: 0, dropped: 0 })
    expect(cleared.toSorted()).toEqual(['unused', 'used'])
  })

  test('reports a loss if the bodies of the oldest exchanges were trimmed', {
    tags: ['long'],
  }, async () => {
    const [writer, { journal }] = await openTwo()
    const requestBody = 'x'.repeat(1024 * 1024)
    for (let index = 0; index < 70; index += 1) await writer.append({ requestBody })
    const { entries, counts } = await journal.list()
    expect(counts).toMatchObject({ recorded: 70, dropped: 0 })
    expect([entries[0], entries.at(-1)].map((entry) => entry?.request.body)).toMatchObject([
      { latin1: undefined, size: requestBody.length },
      { size: requestBody.length },
    ])
    expect(journal.hasLoss('default')).toBe(true)
  })

  test('redacts the request’s token in response bodies', async () => {
    const [first, second] = await openTwo()
    const cached = { note: 'key-of-a-caller' }
    const unredacted = JSON.stringify(cached)
    for (const ownToken of ['another-token', 'key-of-a-caller', 'another-token', undefined])
      await first.append({ responseBody: unredacted }, ownToken, cached)
    const texts = (await second.journal.list()).entries.map(({ response: { body } }) => bodyToText(body))
    expect(texts).toEqual([unredacted, '{"note":"[redacted]"}', unredacted, unredacted])
  })

  test('redacts the request’s token in a request body that is not text', async () => {
    const [first, second] = await openTwo()
    const latin1 = '\u00ffkey-of-a-caller'
    await first.append({ request: { body: { latin1, size: latin1.length } } }, 'key-of-a-caller')
    const [entry] = (await second.journal.list()).entries
    expect(entry?.request.body.latin1).toBe('\u00ff[redacted]')
  })

  test('does not treat a complete body as partial if redaction changed its length', async () => {
    const [first, second] = await openTwo()
    const whole = '{"note":"key-of-a-caller"}'
    for (const body of [captureBody(whole), captureBody(whole, whole.length - 1)])
      await first.append({ request: { body } }, 'key-of-a-caller')
    const bodies = (await second.journal.list()).entries.map(({ request: { body } }) => body)
    expect(bodies.map((body) => [isComplete(body), parseBody(body)])).toEqual([
      [true, { note: '[redacted]' }],
      [false, undefined],
    ])
  })

  test('corrects the recorded outcome of a delivery, even if Redis was unavailable at first', async () => {
    const redis = await redisForTest({ durable: true })
    const [first, second] = [await openJournal(redis.port), await openJournal(redis.port)]
    const appended = await first.append()
    if (!appended) throw new Error('the exchange was not appended')
    const deliveries = async () => (await second.journal.list()).entries.map(({ delivery }) => delivery.kind)
    expect(await deliveries()).toEqual(['delivered'])
    const corrections: boolean[] = []
    second.journal.onEntry((_, { isCorrection = false }) => corrections.push(isCorrection))
    await redis.kill()
    await expect(first.follower.correct(appended, end)).rejects.toBeInstanceOf(StoreUnavailableError)
    await redis.start()
    await vi.waitFor(() => first.journal.list(), 30_000)
    await vi.waitFor(async () => expect(await deliveries()).toEqual(['client-gone']), 30_000)
    expect((await second.journal.list()).entries[0]).toMatchObject(end)
    expect(corrections).toEqual([true])
  })

  test('does not correct a new exchange that has the same number as an exchange that Redis lost', async () => {
    const [first, second] = await openTwo()
    const lost = await first.append()
    await first.connection.call('flushall')
    expect(await second.append()).toMatchObject({ number: lost?.number })
    if (lost) await first.follower.correct(lost, end)
    for (const { journal } of [first, second])
      expect((await journal.list()).entries.map((entry) => entry.delivery.kind)).toEqual(['delivered'])
  })

  test('counts the exchanges of thousands of sandboxes, even while more exchanges are appended', async () => {
    const [writer, { journal }] = await openTwo({ streamSize: 100 })
    const names = Array.from({ length: 3000 }, (_, index) => `s${index}`)
    await Promise.all(names.map((sandbox) => writer.append({ sandbox })))
    const countsOfFirst = journal.counts('s0')
    const appends = Promise.all(names.slice(0, 50).map((sandbox) => writer.append({ sandbox })))
    expect(await countsOfFirst).toMatchObject({ dropped: 1 })
    await appends
    expect(await journal.counts('s2999')).toMatchObject({ recorded: 1 })
    expect(await journal.counts(undefined)).toMatchObject({ recorded: 3050 })
    expect((await journal.list({ sandbox: 's0' })).counts).toMatchObject({ recorded: 2, dropped: 1 })
  })

  test('notices that Redis was restored with older data for the same stream', async () => {
    const [first, second] = await openTwo()
    for (let index = 0; index < 3; index += 1) await first.append()
    expect(await second.journal.counts('default')).toMatchObject({ recorded: 3, dropped: 0 })
    const { connection } = first
    await connection.call('xdel', '{follow}:journal', '2-0', '3-0')
    await connection.call('xsetid', '{follow}:journal', '1-0')
    await connection.call('hset', '{follow}:journal-head', 'messages', 1, 'exchanges', 1)
    await connection.call('hset', '{follow}:journal-counts', 'default', '1 1')
    expect((await second.journal.list()).entries).toHaveLength(1)
    expect(second.journal.hasLoss('default')).toBe(true)
    expect(await first.journal.counts('default')).toMatchObject({ recorded: 2, dropped: 1 })
  })

  test('shares its counts of lost exchanges when its replica stops, except those of cleared sandboxes', async () => {
    const [first, second] = await openTwo()
    first.follower.markLost('cleared')
    expect(first.journal.hasLoss('cleared')).toBe(true)
    await first.follower.clear('cleared')
    expect(first.journal.hasLoss('cleared')).toBe(false)
    first.follower.markLost('lost')
    await first.follower.close()
    expect(await second.journal.counts('lost')).toMatchObject({ recorded: 1, dropped: 1 })
    expect(await second.journal.counts('cleared')).toMatchObject({ recorded: 0 })
  })

  test('skips a message that it cannot read, counts the exchange in it as dropped, and logs a warning', async () => {
    const redis = await redisForTest()
    const first = await openJournal(redis.port)
    await first.append()
    await first.connection.call('hincrby', '{follow}:journal-head', 'messages', 1)
    const fields = ['number', 2, 'first', 1, 'count', 2, 'request', 0, 'response', 0, 'entry', 'not JSON']
    await first.connection.call('xadd', '{follow}:journal', '2-0', ...fields)
    await first.connection.call('hset', '{follow}:journal-head', 'exchanges', 2)
    await first.connection.call('hset', '{follow}:journal-counts', 'default', '1 2')
    await first.append()
    expect(await first.journal.counts('default')).toMatchObject({ recorded: 3, dropped: 1 })
    expect(first.problems).toEqual([expect.stringContaining('could not be read')])
  })
})
