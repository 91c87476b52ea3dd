import { describe, expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { allOperations, ask, askOperation, errorOf, event, operations, type RequestOptions } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { documentWith, documentWithPaths } from '../support/documents.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest } from '../support/start.ts'

const json = (schema: JsonObject, examples?: JsonObject): JsonObject => ({
  'application/json': { schema, ...(examples && { examples }) },
})

const error = { $ref: '#/components/schemas/Error' }

/** Paths that are added to the document: operations that the simulator has no handler for. */
const paths: JsonObject = {
  '/products/{productId}': {
    get: {
      operationId: 'getProduct',
      parameters: [
        { name: 'productId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 10 } },
      ],
      responses: {
        200: {
          description: 'A product.',
          content: json(
            { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
            { shop: { value: { name: 'Web Shop' } } },
          ),
        },
        400: { description: 'Bad.', content: json(error) },
        404: {
          description: 'Unknown.',
          content: json(error, { unknown: { value: { success: false, error: 'No such product.' } } }),
        },
      },
    },
  },
  '/segments': {
    post: {
      operationId: 'createSegment',
      requestBody: {
        required: true,
        content: json({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } }),
      },
      responses: {
        201: {
          description: 'Created.',
          content: json({
            type: 'object',
            required: ['segmentId', 'size'],
            properties: { segmentId: { type: 'string', format: 'uuid' }, size: { type: 'integer', minimum: 0 } },
          }),
        },
        422: { description: 'Refused.', content: json(error) },
      },
    },
  },
  '/imports': {
    post: {
      operationId: 'importRows',
      requestBody: {
        content: {
          'text/csv': { schema: { type: 'string', minLength: 3 } },
          'application/*': { schema: { type: 'object', required: ['rows'] } },
        },
      },
      responses: {
        202: { description: 'Accepted.' },
        204: { description: 'Nothing to import.' },
        400: { description: 'Bad.', content: json(error) },
      },
    },
  },
  '/organizations/current': { delete: { operationId: 'leave', responses: { 204: { description: 'Left.' } } } },
}

const productPath = '/v1/products/8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75'

test('operations without a handler are logged at start and answered', async () => {
  const file = await documentWithPaths(paths)
  const command = convsim(['--port', '0', '--state', ':memory:', '--contract', file])
  const origin = await command.ready()
  await command.untilStderr(/"operations":\["getProduct","createSegment","importRows","leave"\]/)
  const answer = await ask({ origin }, productPath)
  expect([answer.status, answer.body]).toEqual([200, { name: 'Web Shop' }])
})

describe('an extended document', () => {
  const extended = sharedSimulator(async (whenOver) => ({ contract: await documentWithPaths(paths, whenOver) }))

  test('a response is the example of the document, or else generated from its schema', async () => {
    const sim = extended()
    expect((await ask(sim, productPath)).body).toEqual({ name: 'Web Shop' })
    const created = await ask(sim, '/v1/segments', { body: { name: 'VIP' } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      segmentId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/i),
      size: expect.any(Number),
    })
    const left = await ask(sim, '/v1/organizations/current', { method: 'DELETE' })
    expect([left.status, left.text]).toEqual([204, ''])
  })

  test('equal requests get the same generated response', async () => {
    const sim = extended()
    const [first, second] = await Promise.all([
      ask(sim, '/v1/segments', { body: { name: 'VIP' } }),
      ask(sim, '/v1/segments', { body: { name: 'VIP' } }),
    ])
    expect(first?.text).toBe(second?.text)
  })

  test.each([
    ['no token', productPath, { token: null }, 401],
    ['a path parameter', '/v1/products/abc', {}, 400],
    ['a query parameter', `${productPath}?limit=50`, {}, 400],
    ['a wrong method', productPath, { method: 'PUT' }, 405],
    ['a body without a required member, with the documented status', '/v1/segments', { body: {} }, 422],
    ['a body that is no JSON, with the documented status', '/v1/segments', { body: '{' }, 422],
  ] as [string, string, RequestOptions, number][])(
    '%s is refused as in any other operation',
    async (_name, path, how, status) => {
      const sim = extended()
      const answer = await ask(sim, path, how)
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status })
      expect(errorOf(answer)).not.toBe('')
    },
  )

  test.each([
    ['text that is no JSON', 'a,b\n1,2\n', 'text/csv; charset=utf-8', 202],
    ['text that breaks its schema', 'a', 'text/csv', 400],
    ['JSON by a range of types', '{"rows":[]}', 'application/json', 202],
    ['JSON by its suffix', '{"rows":[]}', 'application/vnd.rows+json', 202],
    ['JSON that breaks its schema', '{}', 'application/json', 400],
    ['JSON that is broken', '{', 'application/json', 400],
    ['no body, since it is optional', undefined, null, 202],
    ['a type that is not described', '<rows/>', 'text/xml', 400],
  ] as [string, string | undefined, string | null, number][])(
    'a body is parsed by its media type in the document: %s',
    async (_name, body, contentType, status) => {
      const how = { method: 'POST', contentType, ...(body !== undefined && { body }) }
      const answer = await ask(extended(), '/v1/imports', how)
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status })
    },
  )

  test('an added operation takes scenarios and Prefer', async () => {
    const sim = extended()
    const scripted = await ask(sim, productPath, { headers: { 'x-sim-scenario': 'not-found' } })
    expect([scripted.status, errorOf(scripted)]).toEqual([404, 'No such product.'])
    const preferred = await ask(sim, productPath, { headers: { prefer: 'code=404, example=unknown' } })
    expect([preferred.status, errorOf(preferred)]).toEqual([404, 'No such product.'])
    const body = { method: 'POST', contentType: 'text/csv', body: 'a,b' }
    expect((await ask(sim, '/v1/imports', { ...body, headers: { prefer: 'code=204' } })).status).toBe(204)
    expect((await ask(sim, '/v1/imports', body)).status).toBe(202)
    const misfit = await ask(sim, productPath, { headers: { 'x-sim-scenario': 'rate-limited' } })
    expect(misfit.status).toBe(400)
  })

  test('operations with a handler stay the same, and info lists who answers each', async () => {
    const sim = extended()
    for (const operation of operations) expect((await askOperation(sim, operation)).status).toBe(operation.success)
    const info = (await ask(sim, '/__sim/info', { token: null })).body
    expect(isObject(info) && info['operations']).toMatchObject([
      ...allOperations.map(({ id }) => ({ id, answeredBy: 'simulator' })),
      { id: 'getProduct', answeredBy: 'document' },
      { id: 'createSegment', answeredBy: 'document' },
      { id: 'importRows', answeredBy: 'document' },
      { id: 'leave', answeredBy: 'document' },
    ])
  })
})

describe('an edited document', () => {
  test('sets the success status', async () => {
    const contract = await documentWith(
      "        '201':\n          description: The event is recorded",
      "        '202':\n          description: The event is recorded",
    )
    const sim = await startForTest({ contract })
    for (const operation of operations) {
      const answer = await askOperation(sim, operation)
      expect(answer.status).toBe(operation.id === 'createEvent' ? 202 : operation.success)
    }
  })

  test('sets the status of a refused body', async () => {
    const contract = await documentWith(
      "        '400':\n          description: The body is not an event.",
      "        '422':\n          description: The body is not an event.",
    )
    const sim = await startForTest({ contract })
    expect((await ask(sim, '/v1/events', { body: {} })).status).toBe(422)
    expect((await ask(sim, '/v1/events', { body: '{' })).status).toBe(422)
    expect((await ask(sim, '/v1/prompts', { body: {} })).status).toBe(400)
  })

  test('sets the base path', async () => {
    const contract = await documentWith('url: http://127.0.0.1:4010/v1', 'url: https://api.example.test/api/v1/')
    const sim = await startForTest({ contract })
    expect(sim.baseUrl).toBe(`${sim.origin}/api/v1`)
    expect((await ask(sim, '/api/v1/events', { body: operations[2].body })).status).toBe(201)
    const answer = await ask(sim, '/v1/events', { body: operations[2].body })
    expect(answer.status).toBe(404)
    expect(errorOf(answer)).toContain('/api/v1')
  })

  test('adds a valid value to an enum', async () => {
    const contract = await documentWith('[positive, negative, neutral]', '[positive, negative, neutral, mixed]')
    const sim = await startForTest({ contract })
    const body = { ...operations[2].body, influence: 'mixed' }
    expect((await ask(sim, '/v1/events', { body })).status).toBe(201)
  })
})

describe('an enum value that the simulator does not know', () => {
  test('of valueType is treated as text', async () => {
    const sim = await startForTest({
      contract: await documentWith(
        '[currency, numeric, text, boolean]',
        '[currency, numeric, text, boolean, duration]',
      ),
      strict: true,
    })
    const body = { ...operations[2].body, valueType: 'duration', value: 'two hours' }
    expect((await ask(sim, '/v1/events', { body })).status).toBe(201)
  })

  test.each([
    ['14d', 14],
    ['365d', 365],
    ['month', 30],
  ])('of period (%s) has %d data points, and events affect its days', async (period, days) => {
    const sim = await startForTest({ contract: await documentWith('[7d, 30d, 90d]', `[7d, 30d, 90d, ${period}]`) })
    const first = new Date(Date.parse(frozenNow) - (days - 1) * 86_400_000).toISOString()
    const path = `/v1/models/00000000-0000-4000-8000-000000000006/analytics?period=${period}`
    const before = dataPointsOf(await ask(sim, path))
    expect(before.map(({ date }) => String(date).slice(0, 10))).toHaveLength(days)
    expect(String(before[0]?.['date']).slice(0, 10)).toBe(first.slice(0, 10))
    const productId = '00000000-0000-4000-9000-000000000003'
    for (const influence of ['positive', 'negative', 'negative', 'negative'])
      await ask(sim, '/v1/events', { body: event({ productId, influence, eventAt: first }) })
    const after = dataPointsOf(await ask(sim, path))
    expect(after[0]).not.toEqual(before[0])
    expect(after.slice(1)).toEqual(before.slice(1))
  })
})

function dataPointsOf({ body }: { body: Json | undefined }): readonly JsonObject[] {
  const points = isObject(body) ? body['dataPoints'] : undefined
  return Array.isArray(points) ? points.filter(isObject) : []
}

test('nullable: true in a 3.1 document allows null, with a warning that names its place', async () => {
  const file = await documentWith(
    '        externalUserId:\n          type: string',
    '        externalUserId:\n          type: string\n          nullable: true',
  )
  const command = convsim(['--port', '0', '--state', ':memory:', '--contract', file])
  const origin = await command.ready()
  await command.untilStderr(/contract\.yaml:\d+:\d+.*nullable/)
  const body = { ...operations[2].body, externalUserId: null }
  expect((await ask({ origin }, '/v1/events', { body })).status).toBe(201)
})
