import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, askOperation, event, modelId, operations } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator()

const ours = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('x-sim-') || name === 'x-request-id').sort()

describe('the informative headers', () => {
  test.each(operations)('of $id name operation, sandbox, origin and request', async (operation) => {
    const { headers } = await askOperation(sim(), operation)
    expect(headers.get('x-sim-operation')).toBe(operation.id)
    expect(headers.get('x-sim-sandbox')).toBe('default')
    expect(headers.get('x-sim-origin')).toBe('contract')
    expect(headers.get('x-request-id')).toMatch(/^\S+$/)
    expect(headers.get('x-powered-by')).toBeNull()
  })

  test('have another request id each time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(sim(), analyticsPath)))
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(20)
  })

  test.each([
    ['a refusal of the contract', '/v1/models/gpt/analytics', {}, 'contract'],
    ['an unknown path', '/v1/nowhere', {}, 'contract'],
    ['a missing base path', `/models/${modelId}/analytics`, {}, 'simulator'],
    ['a scenario', analyticsPath, { 'x-sim-scenario': '404' }, 'scenario'],
    ['a control that is refused', analyticsPath, { 'x-sim-scenario': 'x' }, 'simulator'],
    ['a good answer', analyticsPath, {}, 'contract'],
  ] as [string, string, Record<string, string>, string][])(
    'say who caused it: %s',
    async (_name, path, headers, origin) => {
      expect((await ask(sim(), path, { headers })).headers.get('x-sim-origin')).toBe(origin)
    },
  )
})

test('--no-sim-headers removes all of them, and leaves those of the service', async () => {
  const own = await startForTest({ simHeaders: false, maxAnalysesPerHour: 1 })
  const answers = [
    ...(await Promise.all(operations.map((operation) => askOperation(own, operation)))),
    await ask(own, '/v1/events', { body: event({ value: 1 }) }),
    await ask(own, analyticsPath),
    await ask(own, analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } }),
    await ask(own, analyticsPath, { headers: { 'x-sim-scenario': 'nonsense' } }),
    await ask(own, '/nowhere'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 201, 400, 429, 429, 400, 404])
  for (const { headers } of answers) expect(ours(headers)).toEqual([])
  expect(answers[4]?.headers.get('retry-after')).toBe('3600')
})

describe('CORS', () => {
  const origin = 'https://app.example.test'

  test.each([
    ['a good answer', analyticsPath, 'any-key', 200],
    ['a refusal', '/v1/models/gpt/analytics', 'any-key', 400],
    ['a 401', analyticsPath, null, 401],
    ['an unknown path', '/v1/nowhere', 'any-key', 404],
  ])('lets a page read %s', async (_name, path, token, status) => {
    const answer = await ask(sim(), path, { headers: { origin }, token })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toBe('*')
  })

  test('answers the preflight of a POST with everything that it asks for', async () => {
    const answer = await ask(sim(), '/v1/events', {
      method: 'OPTIONS',
      token: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-sim-scenario',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-sim-scenario')
  })

  test('says nothing to clients that are no browsers', async () => {
    const answer = await ask(sim(), analyticsPath)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('can be switched off', async () => {
    const own = await startForTest({ cors: false })
    const answer = await ask(own, analyticsPath, { headers: { origin } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('looks at the control plane do not change the ids of requests', async () => {
  const own = await startForTest()
  const ids: (string | null)[] = []
  for (const path of ['/healthz', '/__sim/info', '/__sim/nowhere']) {
    await ask(own, path, { token: null })
    ids.push((await ask(own, analyticsPath)).headers.get('x-request-id'))
  }
  expect(ids).toEqual(['req-1', 'req-2', 'req-3'])
})
