// @module-tag long
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { silentLog } from '../../../src/base/core/log.ts'
import { defaultSettings } from '../../../src/server/settings/settings.ts'
import { createSimulator } from '../../../src/server/simulator/simulator.ts'
import { delivered } from '../../../src/service/exchange/reply.ts'
import { frozenNow } from '../../support/start.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const analyticsPath = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'
const event = JSON.stringify({
  eventType: 'a',
  productId: '00000000-0000-4000-9000-000000000001', // belongs to the model in `analyticsPath`
  value: '1',
  insertId: 'always',
})

/** Returns request number `n`: usually one of a few fixed requests, but sometimes one for a new model or sandbox. */
function request(n: number) {
  const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }
  const base = {
    id: `req-${n}`,
    at: n,
    receivedAt: n,
    openedAt: undefined,
    elapsed: () => 1,
    method: 'GET',
    query: 'period=7d',
    headers,
  }
  const id = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
  if (n % 50 === 0) return { ...base, path: `/v1/models/${id}/analytics`, body: absent }
  const inNewSandbox = { ...headers, 'x-sim-sandbox': `s-${n}` }
  if (n % 50 === 1) return { ...base, path: analyticsPath, headers: inNewSandbox, body: absent }
  if (n % 5 === 2)
    return {
      ...base,
      method: 'POST',
      query: '',
      path: '/v1/events',
      body: { kind: 'bytes', bytes: Buffer.from(event) } as const,
    }
  if (n % 5 === 3) return { ...base, path: '/v1/nowhere', body: absent }
  return { ...base, path: analyticsPath, body: absent }
}

const absent = { kind: 'absent' } as const

test('the simulator leaks no memory in 100,000 requests for 2,000 models and 2,000 sandboxes', async () => {
  const settings = { ...defaultSettings(), state: ':memory:', clock: frozenNow, journalSize: 500, sandboxLimit: 50 }
  const created = await createSimulator(settings, { now: () => 0, log: silentLog })
  if (!created.ok) throw new Error(JSON.stringify(created.error))
  const heap: number[] = []
  for (let n = 1; n <= 100_000; n += 1) {
    const { onEnd } = await created.value.service(request(n))
    onEnd?.(delivered)
    if (n % 20_000 !== 0) continue
    collectGarbage()
    heap.push(process.memoryUsage().heapUsed / 1024 / 1024)
  }
  await created.value.close()
  const [first = 0, ...later] = heap
  // A leak of 100 bytes per request would add 8 MB during the last 80,000 requests.
  for (const megabytes of later) expect(megabytes - first).toBeLessThan(6)
})
