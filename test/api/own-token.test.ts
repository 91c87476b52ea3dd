import { expect } from 'vitest'
import { analyticsPath, call, event, prompt, type RequestOptions } from '../support/client.ts'
import { describeWithRedis, sharedRedis } from '../support/redis.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'
import { startReplicas } from './replicas/start-replicas.ts'

const headerNames = 'x-sim-scenario x-sim-now x-sim-seed x-sim-sequence prefer content-type user-agent cookie x-api-key'
const fieldNames =
  'eventType productId value valueType influence qualityImpactScore conversationId eventAt insertId properties ' +
  'sampleRate forceSample'

/** Returns requests with the token in different positions, mostly as an invalid value that an error might quote. */
function requestsWith(token: string): (RequestOptions & { readonly path: string })[] {
  const encoded = encodeURIComponent(token)
  const paths = [
    `/v1/models/${encoded}/analytics`,
    `/v1/${encoded}`,
    `/_s/${encoded}!/v1/events`,
    `/_s/a/${encoded}/events`,
    `${analyticsPath}?period=${encoded}`,
    `${analyticsPath}?${encoded}=1`,
  ]
  const bodies = [
    token,
    `{"${token}":1,"${token}":2}`,
    `{"a":${token}}`,
    `{"a":12345${token}}`,
    event({ [token]: 1, valueType: 'numeric', value: token }),
    ...fieldNames.split(' ').map((field) => event({ [field]: token })),
  ]
  const prompts = [prompt({ components: token, source: token, tags: token }), prompt({ externalPromptId: token })]
  const values = [token, `slow;ms=${token}`, `code=${token}`, `null;fields=${token}`]
  const withHeaders = headerNames.split(' ').flatMap((name) =>
    values.map((value) => {
      const contentType = name === 'content-type' ? value : 'application/json'
      return { path: '/v1/events', headers: { [name]: value }, body: event(), contentType }
    }),
  )
  return [
    ...paths.map((path) => ({ path })),
    ...bodies.map((body) => ({ path: '/v1/events', body })),
    ...withHeaders,
    ...prompts.map((body) => ({ path: '/v1/prompts', body })),
  ]
}

/** Returns the name and text of each output that might show a token, such as the log, the journal and reports. */
async function readOutputs(sim: TestSimulator): Promise<[string, string][]> {
  const entries = await listRequests(sim, 'bodies=true&limit=1000')
  const paths = [
    ...entries.map(({ id }) => `/requests/${id}?format=curl`),
    ...['json', 'junit', 'markdown', 'html'].map((format) => `/report?format=${format}&sandbox=*`),
    ...['/requests?format=har&limit=1000', '/metrics', '/sandboxes'],
  ]
  const read = async (path: string): Promise<[string, string]> => [path, (await call(sim, `/__sim${path}`)).text]
  const verification = { operation: 'createEvent', match: { body: { '/value': 'none' } }, count: { exactly: 99 } }
  return [
    ...sim.logged.map((line): [string, string] => ['log', JSON.stringify(line)]),
    ...entries.map((entry): [string, string] => ['journal', JSON.stringify(entry)]),
    ...(await Promise.all(paths.map(read))),
    ['verify', (await call(sim, '/__sim/verify', { body: verification })).text],
  ]
}

/** Returns each source in which the simulator shows part of a token, with the surrounding text. */
async function findLeaks(sim: TestSimulator): Promise<readonly string[]> {
  const shown = await readOutputs(sim)
  expect(shown.length).toBeGreaterThan(100)
  return shown.flatMap(([source, text]) => {
    const at = text.indexOf('zq_live_')
    return at < 0 ? [] : [`${source}: ${text.slice(Math.max(0, at - 100), at + 60)}`]
  })
}

const tokens: readonly [description: string, token: string, header?: string][] = [
  ['of a common length', 'zq_live_51H8xYzAbCdEf'],
  ['too long to be quoted in full', `zq_live_${'51H8xYzAbCdEf'.repeat(30)}`],
  ['with characters that are encoded in a URL', 'zq_live_+/51H8xYz=='],
  ['sent as Latin-1', 'zq_live_Größe51H8xYz'],
  ['sent as UTF-8', 'zq_live_Größe51H8xYz', Buffer.from('zq_live_Größe51H8xYz').toString('latin1')],
]
const settings = { logBodies: true, strict: true }

test.each(tokens)('a token %s does not appear in any log, journal or report', async (_name, token, header = token) => {
  const sim = await startForTest(settings)
  for (const { path, ...options } of requestsWith(token)) await call(sim, path, { ...options, token: header })
  expect(await findLeaks(sim)).toEqual([])
})

describeWithRedis('a replica that did not receive the requests', () => {
  const redis = sharedRedis()

  test.each(tokens)('does not show a token %s', async (_name, token, header = token) => {
    const [one, two] = await startReplicas(redis(), settings)
    for (const { path, ...options } of requestsWith(token)) await call(one, path, { ...options, token: header })
    expect(await findLeaks(two)).toEqual([])
  })
})

test('/__sim/explain does not show the token of the explained request', async ({ own }) => {
  const token = `zq_live_${'51H8xYzAbCdEf'.repeat(8)}`
  const headers = { authorization: `Bearer ${token}` }
  const body = { method: 'GET', path: `${analyticsPath}?period=${token}`, headers }
  const { text } = await call(own, '/__sim/explain', { token: null, body })
  expect(text).toContain('[redacted]')
  expect(text).not.toContain('zq_live_')
})
