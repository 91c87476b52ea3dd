import { expect } from 'vitest'
import { analyticsPath, call, event } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { metricsOf } from '../support/metrics.ts'
import { sendBytes } from '../support/one-shot.ts'
import { startForTest, test } from '../support/start.ts'

test('metrics count the stored records, and requests by operation, status and origin', async () => {
  const sim = await startForTest({ journalSize: 4 })
  await call(sim, analyticsPath)
  await call(sim, analyticsPath, { headers: { 'x-sim-scenario': 'forbidden', 'x-sim-sandbox': 'a' } })
  for (let count = 0; count < 2; count += 1) await call(sim, '/v1/events', { body: event() })
  await call(sim, '/v1/nowhere')
  await call(sim, `${analyticsPath}?period=1y`)
  await call(sim, analyticsPath, { headers: { prefer: 'code=400' } })
  const metrics = await metricsOf(sim)
  expect(metrics).toMatchObject({
    'convsim_requests_total{operation="getModelAnalytics",status="200",origin="contract"}': 1,
    'convsim_requests_total{operation="getModelAnalytics",status="403",origin="scenario"}': 1,
    'convsim_requests_total{operation="getModelAnalytics",status="400",origin="contract"}': 1,
    'convsim_requests_total{operation="getModelAnalytics",status="400",origin="scenario"}': 1,
    'convsim_requests_total{operation="createEvent",status="201",origin="contract"}': 2,
    'convsim_requests_total{operation="none",status="404",origin="contract"}': 1,
    convsim_journal_entries: 4,
    convsim_journal_dropped: 3,
    convsim_journal_waiting: 0,
    convsim_sandboxes: 2,
    convsim_state_events: 2,
    convsim_state_prompts: 0,
    nodejs_eventloop_lag_seconds: expect.any(Number),
    process_resident_memory_bytes: expect.any(Number),
  })
})

test('metrics count a response once, even if the client then resets the connection', async ({ own }) => {
  const head = `GET ${analyticsPath} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\n\r\n`
  await sendBytes(own.origin, Buffer.from(head))
  expect(await metricsOf(own)).toMatchObject({
    'convsim_requests_total{operation="getModelAnalytics",status="200",origin="contract"}': 1,
  })
})

test('metrics use the Prometheus format, list each family exactly once, and survive a reset', async ({ own }) => {
  for (let count = 0; count < 20; count += 1) await call(own, analyticsPath)
  await callControl(own, 'POST', '/reset')
  const { text, headers } = await call(own, '/__sim/metrics')
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram|summary)$/gm)].map(([, name]) => name)
  expect(new Set(families).size).toBe(families.length)
  expect(families).toEqual(expect.arrayContaining(['convsim_requests_total', 'convsim_sandboxes']))
  // Prometheus ignores the case of NaN, which prom-client writes as `Nan`.
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#')))
    expect(line).toMatch(/^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^}]*\})? (Nan|[+-]?Inf|-?[0-9.e+-]+)$/)
  expect(text).toMatch(/^convsim_requests_total\{.*\} 20$/m)
})
