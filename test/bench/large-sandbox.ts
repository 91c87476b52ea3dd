import { performance } from 'node:perf_hooks'
import { parseRedisUrl } from '../../src/state/redis/location.ts'
import { type OpenedRedisStore, openRedisStore } from '../../src/state/redis/open-redis-store.ts'
import type { SandboxExport } from '../../src/state/store.ts'
import { context, event, exportSandbox, importDocument, listEvents } from '../state/drafts.ts'
import { startRedis } from '../support/redis-server.ts'

/** The milliseconds between two looks at the clock. */
const PROBE_MS = 1

/** Prints how long a replica and Redis serve nobody else while they work on a sandbox with so many events. */
export async function measureLargeSandbox(count: number): Promise<void> {
  const redis = await startRedis({ args: ['--slowlog-log-slower-than', '1000', '--slowlog-max-len', '100000'] })
  const opened = await open(redis.url)
  const { store, connection } = opened
  try {
    await importDocument(store, 'default', createExport(1)) // compiles the schema, which the build does for users
    let document: SandboxExport | undefined = createExport(count)
    await measure(connection, 'import', () => importDocument(store, 'default', document))
    document = undefined
    const record = () => store.recordEvent({ ...context, sandbox: 'default' }, event({ insertId: 'e7' }))
    await measure(connection, 'replay of an event', record)
    await measure(connection, 'page of 100', () => listEvents(store, 'default', { limit: 100, order: 'newest' }))
    const filter = { conversationId: conversationOf(7), limit: 100 }
    await measure(connection, 'listing with a filter', () => listEvents(store, 'default', filter))
    await measure(connection, 'export', () => exportSandbox(store, 'default'))
    const { snapshotId } = await measure(connection, 'snapshot', () => store.createSnapshot(context))
    await store.recordEvent(context, event())
    await measure(connection, 'restore', () => store.restoreSnapshot('default', snapshotId))
    await measure(connection, 'impact of 90 days', () =>
      store.eventImpact('default', { productIds: [event().productId], from: '2025-10-01', to: '2025-12-29' }),
    )
    await printStart(redis.url)
    await measure(connection, 'reset', () => store.reset('default'))
    await measure(connection, 'deletion', () => store.deleteSandbox('default'))
  } finally {
    await store.close()
    await redis.close()
  }
}

async function open(url: string): Promise<OpenedRedisStore> {
  const location = parseRedisUrl(url, 'large')
  const opened = location.ok ? await openRedisStore(location.value, { commandMs: 30_000 }) : location
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

const conversationOf = (index: number) => `00000000-0000-4000-8000-${String(index % 20_000).padStart(12, '0')}`

/** Creates an export with events of 20,000 conversations on 365 days. */
function createExport(count: number): SandboxExport {
  const events = Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.UTC(2025, 0, 1 + (index % 365), 12)).toISOString()
    const fields = { ...event({ insertId: `e${index}`, conversationId: conversationOf(index) }), eventAt: at }
    const eventId = `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    return { eventId, fields, impact: 1, sampledOut: false, receivedAt: at, replays: index % 10 === 0 ? 1 : 0 }
  })
  return { format: 1, quality: { weight: 0.1 }, events, prompts: [] }
}

/**
 * Prints the time, the longest stall of this process in processor time and the longest command of Redis during some
 * work.
 */
async function measure<T>(
  connection: OpenedRedisStore['connection'],
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  await connection.call('slowlog', 'RESET')
  let longest = 0
  let last = cpuMs()
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const probe = setInterval(look, PROBE_MS)
  const begun = performance.now()
  const result = await work()
  const tookMs = performance.now() - begun
  look()
  clearInterval(probe)
  const commands = (await connection.call('slowlog', 'GET', -1)) as [number, number, number, string[]][]
  const slowest = Math.max(0, ...commands.map(([, , micros]) => micros / 1000))
  const { rss } = process.memoryUsage()
  console.log(
    `${name}: ${tookMs.toFixed(0)} ms, longest stall of the process ${longest.toFixed(0)} ms, ` +
      `longest command of Redis ${slowest < 1 ? 'below 1' : slowest.toFixed(0)} ms, ` +
      `resident ${(rss / 1e6).toFixed(0)} MB`,
  )
  return result
}

/** Returns the processor time of this process so far, which other processes do not change. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Prints the time in which another replica opens the state. */
async function printStart(url: string): Promise<void> {
  const begun = performance.now()
  const { store } = await open(url)
  console.log(`opening the store: ${(performance.now() - begun).toFixed(0)} ms`)
  await store.close()
}
