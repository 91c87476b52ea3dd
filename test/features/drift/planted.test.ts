import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../../src/base/core/json.ts'
import { valueAt } from '../../../src/base/core/json-pointer.ts'
import { allOperations } from '../../support/all-operations.ts'
import { findingsOf, runDrift, upstreamToken } from '../../support/drift.ts'
import { type Change, type FakeResponse, startFakeUpstream } from '../../support/fake-upstream.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const model = (tail: string) => `00000000-0000-4000-8000-0000000000${tail}`
const ids = ['01', '02', '03'].map((tail) => `--ids=modelId=${model(tail)}`)

/** Changes to individual responses, keyed by the end of the model's ID and the period. */
const changes: Readonly<Record<string, (response: FakeResponse, body: JsonObject) => void>> = {
  '03 30d': (_, body) => Object.assign(valueAt(body, '/recommendations') ?? {}, { healthLevel: 'on_fire' }),
  '02 90d': (_, body) => Object.assign(valueAt(body, '/dataPoints/80') ?? {}, { conversationCount: null }),
  '03 7d': (_, body) => Object.assign(body, { region: 'eu' }),
  '01 90d': (response) => Object.assign(response, { status: 418, body: { success: false, error: 'I am a teapot.' } }),
  '02 7d': (response) => Object.assign(response, { delayMs: 60_000 }),
  '01 7d': (response, body) => Object.assign(response, { body: JSON.stringify(body).slice(0, 200) }),
}

/** Applies the `changes` and renames `messageCount` in each response that has it. */
const plantDifferences: Change = (response, { url }) => {
  const { body } = response
  if (!isObject(body)) return
  if (body.messageCount !== undefined) body.messagesTotal = body.messageCount
  delete body.messageCount
  const [, tail, period] = /(\d\d)\/analytics\?period=(\w+)$/.exec(url) ?? []
  changes[`${tail} ${period}`]?.(response, body)
}

describe('a real service with planted differences', () => {
  test('leads to exactly the expected findings, each with its pointer', async () => {
    const upstream = await startFakeUpstream(plantDifferences)
    const run = await runDrift([upstream.baseUrl, ...ids, '--timeout', '3s'])
    const onFire = { request: `GET /v1/models/${model('03')}/analytics?period=30d`, value: '"on_fire"' }
    expect(run.report.findings.toSorted((one, other) => one.kind.localeCompare(other.kind))).toMatchObject([
      { kind: 'broken-json', pointer: '' },
      { kind: 'enum-value', pointer: '/recommendations/healthLevel', seen: 1, of: 7, breaks: true },
      { kind: 'missing-field', pointer: '/messageCount', seen: 6, of: 7, breaks: true },
      { kind: 'new-field', pointer: '/messagesTotal', seen: 6, of: 7, breaks: false },
      { kind: 'new-field', pointer: '/region', seen: 1, of: 7, breaks: false },
      { kind: 'null', pointer: '/dataPoints/*/conversationCount', assumption: '/components/schemas/Count' },
      { kind: 'undocumented-status', pointer: '', operation: 'getModelAnalytics', status: 418, seen: 1, of: 8 },
    ])
    expect(run.report.findings.find(({ kind }) => kind === 'enum-value')?.sample).toEqual(onFire)
    const request = `GET /v1/models/${model('02')}/analytics?period=7d`
    expect(run.report.notJudged.filter(({ reason }) => reason !== 'not-probed')).toMatchObject([
      { operation: 'getModelAnalytics', reason: 'time-out', request, count: 1 },
    ])
    expect([run.report.verdict, run.code]).toEqual(['drift', 3])
  })

  test('cannot leak the upstream token into a file or the output by echoing the token', async () => {
    const upstream = await startFakeUpstream(({ headers, body }) => {
      headers['x-echo'] = `Bearer ${upstreamToken}`
      if (!isObject(body)) return
      body.receivedToken = upstreamToken
      body[upstreamToken] = body.messageCount ?? null
      delete body.messageCount
      if (isObject(body.recommendations)) body.recommendations.healthLevel = upstreamToken
    })
    const folder = await tempFolder()
    const run = await runDrift([upstream.baseUrl, ...ids, '--patch', join(folder, 'patch.json')])
    expect(run.code).toBe(3)
    expect(findingsOf(run)).toContain('missing-field /messageCount')
    const files = await readdir(folder)
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
    for (const text of [run.stdout, run.stderr, ...texts]) expect(text).not.toContain('4711')
    expect(upstream.requests.every(({ headers }) => headers['authorization'] === `Bearer ${upstreamToken}`)).toBe(true)
  })
})

describe('the verdict is "not-judged" for a service', () => {
  const tooLarge: Change = (response) => void Object.assign(response, { body: ' '.repeat(17 * 1024 * 1024) })
  const waitAnHour: Change = (response) => {
    Object.assign(response, { status: 429, body: { success: false, error: 'Later.' } })
    response.headers['retry-after'] = '3600'
  }
  const unauthorized: Change = (response) => void Object.assign(response, { status: 401 })
  const unknownModel = ['--ids', 'modelId=00000000-0000-4000-8000-000000000404']
  const oneModel = [`--ids=modelId=${model('01')}`, '--samples', '1']

  test.each<[string, string, string, Change | undefined, readonly string[], number?]>([
    ['that requires a token', 'unauthorized', 'Set CONVSIM_UPSTREAM_TOKEN', unauthorized, ids, 1],
    ['that does not know the requested model', 'too-few-samples', 'responses: 404', undefined, unknownModel],
    ['whose responses are too large', 'too-large', '16 MiB', tooLarge, oneModel],
    ['that requires a wait of an hour', 'rate-limited', '3600 s, ', waitAnHour, ids, 1],
    ['with an expired certificate', 'certificate', 'certificate has expired (CERT_HAS_EXPIRED)', undefined, ids, 0],
  ])('%s; the reason is %s', async (_name, reason, sentence, change, args, requests) => {
    const upstream = await startFakeUpstream(change, reason === 'certificate')
    const run = await runDrift([upstream.baseUrl, ...args], reason === 'unauthorized' ? null : undefined)
    expect([run.code, run.report.verdict, run.report.findings]).toEqual([1, 'not-judged', []])
    expect(run.report.notJudged).toContainEqual(
      expect.objectContaining({ reason, sentence: expect.stringContaining(sentence) }),
    )
    if (requests !== undefined) expect(upstream.requests).toHaveLength(requests)
    if (reason === 'too-large') expect(run.report).toMatchObject({ judged: {} })
  })

  test('that redirects to another origin, which receives no requests', async () => {
    const other = await startFakeUpstream()
    const upstream = await startFakeUpstream((response, { url }) => {
      response.status = 307
      response.headers['location'] = other.baseUrl.replace('/v1', url)
    })
    const run = await runDrift([upstream.baseUrl, ...ids])
    expect([run.code, run.report.verdict]).toEqual([1, 'not-judged'])
    expect(run.report.notJudged).toContainEqual(expect.objectContaining({ reason: 'redirect' }))
    expect(other.requests).toEqual([])
  })
})

describe('a fake service based on the simulator', () => {
  test('gets the verdict "same", even with writes', async () => {
    const upstream = await startFakeUpstream()
    const run = await runDrift([upstream.baseUrl, ...ids, `--writes=${upstream.host}`])
    expect([run.report.findings, run.report.notJudged, run.report.verdict, run.code]).toEqual([[], [], 'same', 0])
    const writes = allOperations.filter(({ method }) => method !== 'GET')
    expect(upstream.requests.filter(({ method }) => method !== 'GET')).toHaveLength(3 * writes.length)
  })

  test('leads to a patch if the status of a write is undocumented', { tags: ['long'] }, async () => {
    const upstream = await startFakeUpstream((response, { method, url }) => {
      if (method !== 'POST' || !url.endsWith('/events')) return
      response.status = 200
      response.body = { id: 'evt_1' }
    })
    const file = join(await tempFolder(), 'patch.yaml')
    const args = [upstream.baseUrl, ...ids, `--writes=${upstream.host}`]
    const run = await runDrift([...args, '--patch', file])
    const assumption = '/paths/~1events/post/responses/201'
    expect(run.report.findings).toMatchObject([
      { operation: 'createEvent', kind: 'undocumented-status', status: 200, assumption },
    ])
    const overlaid = await runDrift([...args, '--overlay', file])
    expect([overlaid.report.findings, overlaid.report.verdict, overlaid.code]).toEqual([[], 'same', 0])
  })
})
