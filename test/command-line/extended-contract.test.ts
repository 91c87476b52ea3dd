import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { allOperations } from '../support/all-operations.ts'
import {
  call,
  callOperation,
  event,
  objectOf,
  operations,
  type RequestOptions,
  type TestResponse,
} from '../support/client.ts'
import { documentWith, documentWithPaths } from '../support/documents.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest } from '../support/start.ts'

const properties = { segmentId: { $ref: '#/components/schemas/Uuid' }, size: { type: 'integer', minimum: 0 } }
const schema = { type: 'object', required: ['segmentId', 'size'], properties }
const created = { description: 'Created.', content: { 'application/json': { schema } } }
/** The path added to the document. Its operation has no handler. */
const paths = { '/segments': { post: { operationId: 'createSegment', responses: { 201: created } } } }

describe('an extended document', () => {
  const extended = sharedSimulator(async (whenOver) => ({ contract: await documentWithPaths(paths, whenOver) }))

  test('has responses that are generated from its schemas and identical for identical requests', async () => {
    const [sim, another] = [extended(), await startForTest({ contract: await documentWithPaths(paths) })]
    const fields = { operations: ['createSegment'] }
    expect(sim.logged).toContainEqual(expect.objectContaining({ level: 'info', fields }))
    const create = (target: { origin: string }) => call(target, '/v1/segments', { method: 'POST' })
    const [created, ...again] = await Promise.all([create(sim), create(sim), create(another)])
    expect(created).toMatchObject({
      status: 201,
      body: { segmentId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/i), size: expect.any(Number) },
    })
    expect(again.map(({ text }) => text)).toEqual([created.text, created.text])
    const { text } = await call(sim, '/__sim/contract', { token: null })
    expect(text).toContain('"$ref":"#/components/schemas/Error"') // generating a response has not changed the document
  })

  test('does not affect operations with a handler, and /__sim/info lists what serves each operation', async () => {
    const sim = extended()
    for (const operation of operations) expect((await callOperation(sim, operation)).status).toBe(operation.success)
    expect(objectOf(await call(sim, '/__sim/info', { token: null }))['operations']).toMatchObject([
      ...allOperations.map(({ id }) => ({ id, servedBy: 'simulator' })),
      { id: 'createSegment', servedBy: 'document' },
    ])
  })
})

const dataPointsOf = (response: TestResponse) => objectOf(response)['dataPoints'] as JsonObject[]

describe('an edited document', () => {
  const described = (status: number, text: string) => `'${status}':\n          description: ${text}`
  const refused = 'The request body is not a valid event.'
  const duration = event({ valueType: 'duration', value: 'two hours' })

  test.each<[string, string, string, string, RequestOptions, number]>([
    ['sets the success status', described(201, 'The event'), described(202, 'The event'), '', {}, 202],
    ['sets the status for an invalid body', described(400, refused), described(422, refused), '', { body: {} }, 422],
    ['sets the base path', 'url: http://127.0.0.1:4010/v1', 'url: https://api.example.test/api/v1/', '/api', {}, 201],
    ['replaces the old base path', 'url: http://127.0.0.1:4010/v1', 'url: https://a.test/api/v1/', '', {}, 404],
    ['adds an enum value', '[positive,', '[mixed, positive,', '', { body: event({ influence: 'mixed' }) }, 201],
    ['adds a value type, which is treated as text', '[currency,', '[duration, currency,', '', { body: duration }, 201],
  ])('%s', async (_, from, to, base, options, status) => {
    const sim = await startForTest({ contract: await documentWith(from, to), strict: true })
    expect(await call(sim, `${base}/v1/events`, { body: event(), ...options })).toMatchObject({ status })
  })

  test.each([
    ['14d', 14],
    ['365d', 365],
    ['month', 30],
  ])('adds the period %s with %d data points that reflect events', async (period, days) => {
    const sim = await startForTest({ contract: await documentWith('[7d, 30d, 90d]', `[7d, 30d, 90d, ${period}]`) })
    const first = new Date(Date.parse(frozenNow) - (days - 1) * 86_400_000).toISOString()
    const path = `/v1/models/00000000-0000-4000-8000-000000000006/analytics?period=${period}`
    const before = dataPointsOf(await call(sim, path))
    expect(before).toHaveLength(days)
    expect(String(before[0]?.['date']).slice(0, 10)).toBe(first.slice(0, 10))
    const productId = '00000000-0000-4000-9000-000000000003'
    for (const influence of ['positive', 'negative', 'negative', 'negative'])
      await call(sim, '/v1/events', { body: event({ productId, influence, eventAt: first }) })
    const after = dataPointsOf(await call(sim, path))
    expect(after[0]).not.toEqual(before[0])
    expect(after.slice(1)).toEqual(before.slice(1))
  })
})
