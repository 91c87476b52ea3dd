import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/fixtures/bundled.ts'
import { inputs } from '../support/catalogue.ts'
import {
  allOperations,
  ask,
  errorOf,
  event,
  expectRefusal,
  objectOf,
  prompt,
  readStateInfo,
} from '../support/client.ts'
import { documentWithPaths } from '../support/documents.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest } from '../support/start.ts'

const sim = sharedSimulator({ seed: '42' })
const open = { token: null }

const aliases = ['/healthz', '/readyz', '/livez', '/_x-steady/health', '/__admin/health']

describe.each(['/__sim/health', ...aliases, ...aliases.map((path) => path.toUpperCase())])('%s', (path) => {
  test.each([path, `${path}?now`])('answers %s with status healthy', async (target) => {
    const answer = await ask(sim(), target, open)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ status: 'healthy', version })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('refuses a page of another origin, as the control plane does', async () => {
    const answer = await ask(sim(), path, { ...open, headers: { origin: 'https://app.example.test' } })
    expectRefusal(answer, 403, /Origin|origin|page/)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test.each(['/__sim/health', '/healthz'])('HEAD %s is answered without a body', async (path) => {
  const answer = await ask(sim(), path, { ...open, method: 'HEAD' })
  expect([answer.status, answer.text]).toEqual([200, ''])
})

test.each([
  ['/metrics', 'text/plain; version=0.0.4; charset=utf-8', /^convsim_\w+/m],
  ['/_x-steady/spec', 'application/json; charset=utf-8', /"openapi":"3\.1\.0"/],
])('%s answers as the control that it stands for', async (path, mediaType, body) => {
  for (const target of [path, `${path}/`, path.toUpperCase()]) {
    const answer = await fetch(`${sim().origin}${target}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, mediaType])
    expect(await answer.text()).toMatch(body)
  }
})

test('a path below an alias has the CORS of the service, and the alias that of the control plane', async () => {
  const own = await startForTest({ cors: false, controlOrigins: 'http://allowed.example' })
  const grantOf = async (path: string, method: string, origin: string) => {
    const headers = { origin, 'access-control-request-method': 'GET' }
    const answer = await fetch(own.origin + path, { method, headers })
    return answer.headers.get('access-control-allow-origin')
  }
  expect(await grantOf('/metrics/1', 'GET', 'http://allowed.example')).toBe(null)
  expect(await grantOf('/healthz', 'OPTIONS', 'http://allowed.example')).toBe('http://allowed.example')
  const open = await startForTest()
  const preflight = { origin: 'http://foreign.example', 'access-control-request-method': 'GET' }
  const answer = await fetch(`${open.origin}/healthz`, { method: 'OPTIONS', headers: preflight })
  expect(answer.status).toBeGreaterThanOrEqual(400)
})

test('/metrics asks for the token of the control plane', async () => {
  const own = await startForTest({ controlToken: 'secret' })
  const ofMetrics = async (headers: Record<string, string>) =>
    (await fetch(`${own.origin}/metrics`, { headers })).status
  expect([await ofMetrics({}), await ofMetrics({ authorization: 'Bearer secret' })]).toEqual([401, 200])
})

test.each(['/metrics', '/Metrics', '/metrics/', '/', '/favicon.ico'])(
  'an operation of the contract with the path %s takes precedence',
  async (path) => {
    const content = { 'application/json': { schema: { type: 'object' }, example: { sold: 7 } } }
    const get = { operationId: 'getSales', security: [], responses: { 200: { description: 'Sales.', content } } }
    const file = await documentWithPaths({ [path]: { get } })
    await writeFile(file, (await readFile(file, 'utf8')).replace('4010/v1', '4010'))
    const own = await startForTest({ contract: file })
    const answer = await ask(own, path, open)
    expect([answer.body, answer.headers.get('x-sim-operation')]).toEqual([{ sold: 7 }, 'getSales'])
    const explained = await ask(own, '/__sim/explain', { ...open, body: { method: 'GET', path } })
    expect(objectOf(explained)).toMatchObject({ operation: 'getSales' })
    expect((await ask(own, '/healthz', open)).body).toEqual({ status: 'healthy', version })
  },
)

test('GET / redirects a client other than a browser to the control plane', async () => {
  const answer = await fetch(`${sim().origin}/`, { redirect: 'manual' })
  expect(answer.status).toBe(302)
  expect(answer.headers.get('location')).toMatch(/^\/__sim\//)
  const there = await fetch(new URL(answer.headers.get('location') ?? '', sim().origin))
  expect(there.status).toBe(200)
})

describe('GET /__sim/info', () => {
  test('names the version, the contract, the seed and the operations', async () => {
    const info = objectOf(await ask(sim(), '/__sim/info', open))
    expect(info).toMatchObject({
      version,
      seed: '42',
      now: frozenNow,
      contract: { title: 'Conversation-Analytics Service', version: '1.0.0', basePath: '/v1' },
      state: { file: ':memory:', sandboxes: 0, events: 0, prompts: 0 },
    })
    expect(info['operations']).toMatchObject(
      allOperations.map(({ id, method }) => ({ id, method, answeredBy: 'simulator' })),
    )
  })

  test('counts the stored sandboxes, events and prompts', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event() })
    await ask(own, '/v1/events', { body: event() })
    await ask(own, '/v1/prompts', { body: prompt(), token: 'key~worker' })
    expect(await readStateInfo(own)).toEqual({ file: ':memory:', sandboxes: 2, events: 2, prompts: 1 })
  })
})

test('GET /__sim/contract returns the loaded document', async () => {
  const document = objectOf(await ask(sim(), '/__sim/contract', open))
  expect(document['openapi']).toBe('3.1.0')
  const paths = Object.keys(objectOf({ body: document['paths'] ?? null, status: 200 }))
  expect(paths).toEqual(inputs.contract.operations.map(({ path }) => path))
  expect(paths).toEqual(expect.arrayContaining(['/models/{modelId}/analytics', '/prompts', '/events']))
})

test('GET /__sim/assumptions lists pointers and texts', async () => {
  const { assumptions } = objectOf(await ask(sim(), '/__sim/assumptions', open))
  if (!Array.isArray(assumptions)) throw new Error('no list')
  expect(assumptions.length).toBeGreaterThan(20)
  for (const assumption of assumptions)
    expect(assumption).toEqual({ pointer: expect.stringMatching(/^\//), text: expect.stringMatching(/\S/) })
})

test('POST /__sim/reset accepts a sandbox that was never used', async () => {
  expect((await ask(sim(), '/__sim/reset?sandbox=nobody', { ...open, method: 'POST' })).status).toBe(200)
})

describe('a request that is no control', () => {
  test.each([
    ['GET', '/__sim/reset', 'POST'],
    ['POST', '/__sim/health', 'GET'],
    ['DELETE', '/__sim/info', 'GET'],
  ])('gets a 405 for %s %s', async (method, path, allowed) => {
    const answer = await ask(sim(), path, { ...open, method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
    expect(errorOf(answer)).toContain(`Allowed: ${allowed}`)
  })

  test('is refused where its path has a lone percent sign', async () => {
    const answer = await ask(sim(), '/__sim/%25%', open)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(errorOf(answer)).not.toBe('')
  })
})
