import { expect, test } from 'vitest'
import { type Log, silentLog } from '../../../src/base/core/log.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { createPipeline } from '../../../src/server/pipeline/pipeline.ts'
import { Sandboxes } from '../../../src/server/sandboxes/sandboxes.ts'
import { createClockSetting, SandboxSettingsStore } from '../../../src/server/sandboxes/settings.ts'
import { delivered, jsonBody } from '../../../src/service/exchange/reply.ts'
import type { SimRequest } from '../../../src/service/exchange/request.ts'
import { createEvent } from '../../../src/service/operations/events.ts'
import type { OperationHandler } from '../../../src/service/operations/handler.ts'
import { createMemoryStore } from '../../../src/state/open-store.ts'
import { inputs } from '../../support/catalogue.ts'
import { event, modelId } from '../../support/client.ts'
import { createLogRecorder, type LogEntry } from '../../support/start.ts'

/** Creates a pipeline in which `handle` handles createEvent. `logged` collects the log entries unless `log` is set. */
function setup(handle: OperationHandler['handle'], log?: Log) {
  const logged: LogEntry[] = []
  const settings = new SandboxSettingsStore({ seed: '1', clock: createClockSetting('real', 0, 0), now: () => 0 })
  const sandboxes = new Sandboxes(settings, { now: () => 0, limit: 10, onEvicted: () => {} })
  const store = createMemoryStore()
  const pipeline = createPipeline({
    ...inputs,
    settings: { plan: 'growth', strict: false, logBodies: false, simHeaders: true, xRateLimit: 'off' },
    sandboxes,
    store,
    handlers: new Map([['createEvent', { ...createEvent, handle }]]),
    keyScenarios: new Map(),
    modelScenarios: new Map(),
    productsOfModel: new Map(),
    limitOf: () => undefined,
    isModel: () => true,
    journal: new Journal(100),
    log: log ?? createLogRecorder(logged),
  })
  const post = async (path: string) => {
    const outgoing = await pipeline(request(path))
    outgoing.onEnd?.(delivered)
    return outgoing
  }
  const activeRequests = () => sandboxes.list().map((sandbox) => sandbox.activeRequests)
  return { post, logged, activeRequests }
}

const request = (path: string): SimRequest => ({
  id: 'req-7',
  at: 0,
  receivedAt: 0,
  openedAt: undefined,
  elapsed: () => 0,
  method: 'POST',
  path,
  query: '',
  headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
  body: { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(event())) },
})

const fail = () => {
  throw new Error('the disk of worker 3 is full')
}

test.each<[string, OperationHandler['handle']]>([
  ['asynchronously', async () => fail()],
  ['synchronously', fail],
])('an exception thrown %s causes a 500 with the request ID, and its stack trace is logged', async (_name, handle) => {
  const { post, logged } = setup(handle)
  const { reply } = await post('/v1/events')
  expect(reply).toMatchObject({ status: 500, origin: 'simulator', headers: { 'X-Request-Id': 'req-7' } })
  expect(reply.body?.value).toEqual({ success: false, error: expect.stringContaining('req-7') })
  expect(JSON.stringify(reply.body?.value)).not.toContain('worker 3')
  const errorEntry = logged.find(({ level }) => level === 'error')
  expect(JSON.stringify(errorEntry?.fields)).toMatch(/req-7.*the disk of worker 3 is full.*pipeline\.test\.ts/)
})

test('no sandbox stays busy, even if handling or logging a request fails', async () => {
  const failingLog: Log = { ...silentLog, info: fail, warn: fail, error: fail }
  for (const handle of [async () => jsonBody({ success: true, eventId: modelId }), fail, async () => fail()]) {
    const { post, activeRequests } = setup(handle, failingLog)
    await expect(post('/_s/w0/v1/events')).rejects.toThrow('worker 3')
    expect(activeRequests()).toEqual([0, 0])
  }
})
