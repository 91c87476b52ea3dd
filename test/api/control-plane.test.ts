import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/service/fixtures/bundled.ts'
import { allOperations } from '../support/all-operations.ts'
import { call, errorOf, event, expectRefusal, objectOf, prompt } from '../support/client.ts'
import { documentWithPaths } from '../support/documents.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest } from '../support/start.ts'

const sim = sharedSimulator()
const noToken = { token: null }

const aliases = ['/healthz', '/readyz', '/livez', '/_x-steady/health', '/__admin/health']

test.each(['/__sim/health', ...aliases])('%s returns the status "healthy", but not to other origins', async (path) => {
  for (const target of [path, `${path}?now`, path === '/__sim/health' ? path : path.toUpperCase()]) {
    const response = await call(sim(), target, noToken)
    expect([response.status, response.body]).toEqual([200, { status: 'healthy', version }])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const crossOrigin = await call(sim(), target, { ...noToken, headers: { origin: 'https://app.example.test' } })
    expectRefusal(crossOrigin, 403, /other origins/)
  }
  const head = await call(sim(), path, { ...noToken, method: 'HEAD' })
  expect([head.status, head.text]).toEqual([200, ''])
})

test.each([
  ['/metrics', 'text/plain; version=0.0.4; charset=utf-8', /^convsim_\w+/m],
  ['/_x-steady/spec', 'application/json; charset=utf-8', /"openapi":"3\.1\.0"/],
])('%s is case-insensitive and may have a trailing slash', async (path, mediaType, body) => {
  for (const target of [path, `${path}/`, path.toUpperCase()]) {
    const response = await fetch(`${sim().origin}${target}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType])
    expect(await response.text()).toMatch(body)
  }
})

test('the control plane’s CORS settings apply to aliases such as /healthz, but not to paths below them', async () => {
  const own = await startForTest({ cors: false, controlOrigins: 'http://allowed.example' })
  const origin = 'http://allowed.example'
  const allowedOriginFor = async (path: string, method: string) => {
    const headers = { origin, 'access-control-request-method': 'GET' }
    const response = await fetch(own.origin + path, { method, headers })
    return response.headers.get('access-control-allow-origin')
  }
  expect(await allowedOriginFor('/metrics/1', 'GET')).toBe(null)
  expect(await allowedOriginFor('/healthz', 'OPTIONS')).toBe(origin)
})

const simulatorPaths = ['/metrics', '/Metrics', '/metrics/', '/', '/favicon.ico']
test.each(simulatorPaths)('a contract operation takes precedence over the simulator’s path %s', async (path) => {
  const content = { 'application/json': { schema: { type: 'object' }, example: { sold: 7 } } }
  const get = { operationId: 'getSales', security: [], responses: { 200: { description: 'Sales.', content } } }
  const file = await documentWithPaths({ [path]: { get } })
  await writeFile(file, (await readFile(file, 'utf8')).replace('4010/v1', '4010'))
  const own = await startForTest({ contract: file })
  const response = await call(own, path, noToken)
  expect([response.body, response.headers.get('x-sim-operation')]).toEqual([{ sold: 7 }, 'getSales'])
  const explained = await call(own, '/__sim/explain', { ...noToken, body: { method: 'GET', path } })
  expect(objectOf(explained)).toMatchObject({ operation: 'getSales' })
  expect((await call(own, '/healthz', noToken)).body).toEqual({ status: 'healthy', version })
})

test('GET /__sim/info returns the version, contract, seed, operations and record counts', async () => {
  const own = await startForTest({ seed: '42' })
  for (const token of ['key', 'key~worker']) await call(own, '/v1/events', { body: event(), token })
  await call(own, '/v1/prompts', { body: prompt() })
  expect(objectOf(await call(own, '/__sim/info', noToken))).toMatchObject({
    ...{ version, seed: '42', now: frozenNow },
    contract: { title: 'Conversation-Analytics Service', version: '1.0.0', basePath: '/v1' },
    state: { file: ':memory:', sandboxes: 2, events: 2, prompts: 1 },
    operations: allOperations.map(({ id, method }) => ({ id, method, servedBy: 'simulator' })),
  })
})

describe('an invalid control request', () => {
  test.each([
    ['GET', '/__sim/reset', 'POST'],
    ['POST', '/__sim/health', 'GET'],
    ['DELETE', '/__sim/info', 'GET'],
  ])('gets a 405 if its method is wrong: %s %s', async (method, path, allowed) => {
    const response = await call(sim(), path, { ...noToken, method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
    expect(errorOf(response)).toContain(`Allowed: ${allowed}`)
  })

  test('gets a 404 if its path has a lone percent sign', async () => {
    expectRefusal(await call(sim(), '/__sim/%25%', noToken), 404)
  })
})
