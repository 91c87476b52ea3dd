import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, event, modelId, objectOf, prompt } from '../support/client.ts'
import { run } from '../support/command.ts'
import { putRules, steer } from '../support/control.ts'
import { documentWith, fixturesWith } from '../support/documents.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { tempFile, tempFolder } from '../support/temp-folder.ts'
import { allSame, getBundle, readBundleFile, replay, replayText, withAnswer } from './replayed.ts'

/** A client that uses most parts of the simulator, and fails. */
const sampleClient = `
const [base, control] = [process.env.CONVSIM_BASE_URL, process.env.CONVSIM_CONTROL_URL]
const json = { 'content-type': 'application/json' }
const send = (method, path, body, headers) =>
  fetch(base + path, {
    method,
    headers: { authorization: 'Bearer secret-of-the-pipeline', ...json, ...headers },
    body: body && JSON.stringify(body),
  })
    .then((answer) => answer.text()).catch(() => 'no answer')
const steer = (method, path, body) =>
  fetch(control + path, { method, headers: json, body: body && JSON.stringify(body) }).then((answer) => answer.json())
const productId = '00000000-0000-4000-9000-000000000002'
const event = (fields) => ({ eventType: 'purchase', productId, value: '1', externalConversationId: 'c', ...fields })
const analytics = '/models/00000000-0000-4000-8000-000000000001/analytics?period=7d'
await send('POST', '/events', event({ insertId: 'a' }))
await send('POST', '/events', event({ insertId: 'a', value: '2' }))
await send('POST', '/events', event({ sampleRate: 0.5 }))
const { snapshotId } = await steer('POST', '/snapshots', {})
await steer('PUT', '/scenarios', {
  rules: [{ scenario: 'rate-limited', times: 1 }, { scenario: 'truncated', probability: 0.5 }],
})
for (let count = 0; count < 4; count += 1) await send('GET', analytics)
await steer('DELETE', '/scenarios')
await steer('PUT', '/clock', { mode: 'shifted', now: '2026-03-01T00:00:00Z' })
for (const authorization of ['Bearer key_free', 'Basic x', 'other', 'Bearer ', 'Bearer another-key~w1'])
  await send('GET', analytics, undefined, { authorization })
for (const scenario of ['slow;ms=20', 'drop-field', 'reset', 'dribble;ms=20'])
  await send('GET', analytics, undefined, { 'x-sim-scenario': scenario })
const prompt = { name: 'P', components: [{ content: 'Hi {{name}}' }] }
await send('POST', '/prompts', prompt, { 'x-sim-scenario': 'lost-ack' })
await send('POST', '/events', event({ properties: { text: 'x'.repeat(1_100_000) } }))
await steer('POST', '/snapshots/' + snapshotId + '/restore')
await steer('PUT', '/quality', { weight: 1 })
await steer('PUT', '/sandboxes/default', { seed: 'z' })
await Promise.all(Array.from({ length: 10 }, (_, index) => send('POST', '/events', event({ insertId: 'p' + index }))))
await send('GET', analytics.replace('7d', '90d'))
await send('GET', analytics.replace('7d', '1d'))
`

describe('a failed run', () => {
  test('is repeated byte for byte in another process', async () => {
    const folder = await tempFolder()
    const [file, client] = [join(folder, 'bundle.json'), join(folder, 'client.mjs')]
    await writeFile(client, sampleClient)
    const settings = ['--bundle', file, '--fail-on', 'violation', '--max-analyses-per-hour', '6']
    const failed = await run(['exec', ...settings, '--', process.execPath, client])
    expect(failed.code).toBe(3)
    expect(failed.stderr).toContain(`the bundle is in ${file}; repeat the run with convsim replay ${file}.`)
    const { stdout, code } = await run(['replay', file])
    expect(stdout).toMatch(/^The bundle of \S+ \(1 request broke the contract\) had Node \d+/m)
    expect(stdout).toContain(allSame(30))
    expect(code).toBe(0)
    expect(await readFile(file, 'utf8')).not.toContain('secret-of-the-pipeline')
    const bundle = await readBundleFile(file)
    expect(bundle.versions.node).toBe(process.versions.node)
    expect(bundle.sandboxes.map(({ name }) => name)).toEqual(['default', 'w1'])
    const keys = new Set(bundle.sandboxes[0]?.requests.map(({ headers }) => headers['authorization']))
    const renamed = ['Basic bundle-caller-2', 'bundle-caller-3']
    expect([...keys]).toEqual(['Bearer bundle-caller-1', 'Bearer key_free', ...renamed, 'Bearer'])
  })

  test('has a bundle of its exit code, and none where nothing failed', { tags: ['long'] }, async () => {
    const file = join(await tempFolder(), 'bundle.json')
    const exec = (code: number) =>
      run(['exec', '--bundle', file, '--', process.execPath, '-e', `process.exit(${code})`])
    expect(await exec(0)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('bundle') })
    expect(await exec(7)).toMatchObject({ code: 7, stderr: expect.stringContaining('the bundle is in') })
    expect((await readBundleFile(file)).reasons).toEqual(['exit code 7'])
    const lost = await run(['exec', '--bundle', join(file, 'x.json'), '--', 'true'])
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no folder') })
  })
})

describe('a replay', () => {
  test('names the part of an answer that differs', async () => {
    const sim = await startForTest()
    await ask(sim, '/v1/events', { body: event() })
    await ask(sim, analyticsPath)
    const bundle = await getBundle(sim)
    expect(await replay(bundle)).toMatchObject({ code: 0, stdout: expect.stringContaining(allSame(2)) })
    const other = withAnswer(bundle, 'req-2', ({ headers, body }) => ({
      status: 403,
      headers: { ...headers, 'X-Other': 'y' },
      body: { ...body, text: body.text?.replace(/"messageCount":\d+/, '"messageCount":-1') ?? '' },
    }))
    const { code, stdout } = await replay(other, { format: 'json' })
    expect(code).toBe(3)
    const differences = [
      { part: 'status', expected: 403, actual: 200 },
      { part: 'header/x-other', expected: 'y', actual: null },
      { part: 'body/messageCount', expected: -1 },
    ]
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'differs',
      counts: { same: 1, differs: 1, 'not-judged': 0 },
      state: 'same',
      requests: [{ id: 'req-2', request: `GET ${analyticsPath}`, verdict: 'differs', differences }],
    })
    expect(await replay(other, { until: 'req-1' })).toMatchObject({ code: 0 })
    const last = await replay(other, { until: 'req-9' })
    expect(last).toMatchObject({ code: 1, stderr: expect.stringContaining('has no request "req-9"') })
  })

  test('compares a state that is so large that its export is sent in chunks', async () => {
    const sim = await startForTest()
    for (const insertId of ['a', 'b', 'c']) {
      const properties = { text: 'x'.repeat(200_000) }
      expect((await ask(sim, '/v1/events', { body: event({ insertId, properties }) })).status).toBe(201)
    }
    expect(await replay(await getBundle(sim))).toMatchObject({ code: 0, stdout: expect.stringContaining(allSame(3)) })
  })

  test('takes requests in the order in which they were handled, not in that of their ends', async () => {
    const sim = await startForTest()
    const slow = ask(sim, '/v1/events', { body: event(), headers: { 'x-sim-scenario': 'slow;ms=100' } })
    await expect.poll(async () => (await steer(sim, 'GET', '/events'))['total']).toBe(1)
    await ask(sim, '/v1/events', { body: event() })
    await slow
    const bundle = await getBundle(sim)
    expect(bundle.sandboxes[0]?.requests.map(({ id }) => id)).toEqual(['req-1', 'req-2'])
    expect(await replay(bundle)).toMatchObject({ code: 0 })
  })

  test('has the documents of the run, so that it needs none of its files', { tags: ['long'] }, async () => {
    const contract = await documentWith('maximum: 1\n', 'maximum: 2\n')
    const fixtures = await fixturesWith('keys.yaml', 'key_free', 'key_of_our_own')
    const sim = await startForTest({ contract, fixtures, scenario: 'slow;ms=1', models: 'closed', seed: 's' })
    expect((await ask(sim, analyticsPath, { token: 'key_of_our_own' })).status).toBe(403)
    await ask(sim, '/v1/events', { body: event({ qualityImpactScore: 1.5 }) })
    const bundle = await getBundle(sim)
    expect(bundle.contract.document).toBeDefined()
    expect(JSON.stringify(bundle)).not.toContain('key_of_our_own')
    const { code, stdout } = await replay(bundle)
    expect([code, stdout]).toEqual([0, expect.stringContaining(allSame(2))])
    expect(stdout).not.toContain('The run had') // the contract is the same, to the digest
  })

  test('has the contract of an overlay that makes an example wrong, as the run had it', async () => {
    const action = '{ target: $.components.schemas.PromptCreate.required, update: productId }'
    const text = `overlay: 1.1.0\ninfo: { title: Ours, version: 1.0.0 }\nactions: [${action}]`
    const sim = await startForTest({ overlay: await tempFile(text, 'our.overlay.yaml') })
    await ask(sim, '/v1/prompts', { body: {} })
    const { code, stdout } = await replay(await getBundle(sim))
    expect([code, stdout]).toEqual([0, expect.stringContaining(allSame(1))])
    expect(stdout).not.toContain('The run had')
  })

  test('has the exact answers of the fixtures', async () => {
    const fixtures = await fixturesWith('keys.yaml', 'key_free', 'key_of_our_own')
    const invented = objectOf(await ask(await startForTest(), analyticsPath))
    const answers = ['7d', '30d'].map((period, index) => ({ period, body: { ...invented, messageCount: -index } }))
    await mkdir(join(fixtures, 'answers'))
    const content = { about: 'Recorded.', operation: 'getModelAnalytics', modelId, answers }
    await writeFile(join(fixtures, 'answers/one.json'), JSON.stringify(content))
    const sim = await startForTest({ fixtures })
    for (const { period } of answers) await ask(sim, `${analyticsPath}?period=${period}`)
    const bundle = await getBundle(sim)
    expect(JSON.stringify(bundle)).not.toContain(fixtures)
    expect(await replay(bundle)).toMatchObject({ code: 0, stdout: expect.stringContaining(allSame(2)) })
    const text = JSON.stringify(bundle).replace('"period":"7d"', '"period":"14d"')
    const { stderr } = await replayText(text)
    expect(stderr).toContain('bundle.json#/fixtures/answers/0/answers/0/period: error: no request gets this exact')
  })

  test('begins with the state of the state file, of a reset, and of an import', async () => {
    const state = join(await tempFolder(), 'state.json')
    const first = await startForTest({ state })
    await ask(first, '/v1/events', { body: event() })
    await first.close()
    const sim = await startForTest({ state })
    await ask(sim, '/v1/events', { body: event() }) // its id tells that it is the second
    const bundle = await getBundle(sim)
    expect(bundle.sandboxes[0]?.start).toMatchObject({ empty: false, state: { events: [{}] } })
    expect(await replay(bundle)).toMatchObject({ code: 0, stdout: expect.stringContaining(allSame(1)) })
    const exported = await steer(sim, 'GET', '/export')
    await steer(sim, 'POST', '/reset')
    await ask(sim, '/v1/prompts', { body: prompt() })
    await steer(sim, 'POST', '/import', exported)
    await ask(sim, '/v1/events', { body: event() })
    const second = await getBundle(sim)
    expect(second.sandboxes[0]?.start).toEqual({ empty: true })
    expect(await replay(second)).toMatchObject({ code: 0, stdout: expect.stringContaining(allSame(2)) })
  })
})

test('a sandbox that was evicted begins anew', async () => {
  const sim = await startForTest({ sandboxLimit: 2 })
  await putRules(sim, [{ scenario: 'rate-limited' }], 'old')
  await ask(sim, '/v1/events', { body: event(), headers: { 'X-Sim-Sandbox': 'next' } })
  await ask(sim, '/v1/events', { body: event(), headers: { 'X-Sim-Sandbox': 'old' } })
  const { sandboxes } = await getBundle(sim, 'old')
  expect(sandboxes).toMatchObject([{ changes: [], missing: { deleted: 0 }, requests: [{}] }])
})

test('an answer is compared by its digest where its body was evicted or is very long', async () => {
  const sim = await startForTest()
  await ask(sim, analyticsPath)
  const bundle = await getBundle(sim)
  const withDigest = (sha256: string) =>
    withAnswer(bundle, 'req-1', ({ body: { size } }) => ({ body: { size, sha256 } }))
  const text = bundle.sandboxes[0]?.requests[0]?.answer.body.text ?? ''
  const digest = createHash('sha256').update(text).digest('hex')
  expect(await replay(withDigest(digest))).toMatchObject({ code: 0 })
  expect(await replay(withDigest('0'.repeat(64)))).toMatchObject({ code: 3 })
})

test('an API key in a header of its own is in no rule', async () => {
  const scheme = 'securitySchemes:\n'
  const contract = await documentWith(scheme, `${scheme}    key: { type: apiKey, in: header, name: X-Acme }\n`)
  const sim = await startForTest({ contract })
  await putRules(sim, [{ scenario: '429', match: { header: { 'x-acme': 'my-secret-key' } } }])
  await ask(sim, analyticsPath, { token: null, headers: { 'X-Acme': 'my-secret-key' } })
  const text = JSON.stringify(await getBundle(sim))
  expect(text).toContain('"rules":[{"scenario":"429","match":{"header":{"x-acme":"[redacted]"}}}]')
  expect(text).not.toContain('my-secret-key')
})

test('the key of a caller is in no record of the state', async () => {
  const sim = await startForTest()
  const secret = 'zq_live_51H8xYz'
  await ask(sim, '/v1/events', { body: event({ properties: { note: `with ${secret}` } }), token: 'another' })
  await ask(sim, analyticsPath, { token: secret })
  const bundle = await getBundle(sim)
  expect(JSON.stringify(bundle.sandboxes[0]?.state)).toContain('with [redacted]')
})

describe('a replay does not judge', () => {
  /** Returns the id, the verdict and the reasons of each result that is not simply the same. */
  const resultsOf = async (sim: TestSimulator) => {
    const { code, stdout } = await replay(await getBundle(sim), { format: 'json' })
    expect(code).toBe(1)
    const { requests } = JSON.parse(stdout)
    return requests.map(({ id, verdict, reasons }: Record<string, unknown>) => [id, verdict, reasons])
  }

  test('a request whose body was redacted, nor the state after it', async () => {
    const sim = await startForTest()
    await ask(sim, '/v1/events', { body: event({ properties: { password: 'hunter22' } }) })
    const reasons = ['req-1 was sent with redacted parts (body)']
    expect(await resultsOf(sim)).toEqual(['req-1', 'state'].map((id) => [id, 'not-judged', reasons]))
    expect(JSON.stringify(await getBundle(sim))).not.toContain('hunter22')
  })

  test('requests after those that the journal has evicted, or a test has deleted', async () => {
    const sim = await startForTest({ journalSize: 1 })
    await ask(sim, '/v1/events', { body: event() })
    await ask(sim, '/v1/events', { body: event() })
    const evicted = 'earlier requests that the journal had evicted (--journal-size): 1'
    expect((await resultsOf(sim))[0]).toEqual(['req-2', 'not-judged', [evicted]])
    await steer(sim, 'DELETE', '/requests')
    await ask(sim, '/v1/events', { body: event() })
    const deleted = 'earlier requests that were deleted from the journal while the state stayed: 2'
    expect((await resultsOf(sim))[0]).toEqual(['req-3', 'not-judged', [deleted]])
  })

  test('requests before a reload of files, whose former content is not in the bundle', async () => {
    const rules = await tempFile('rules: [{ scenario: not-found }]', 'rules.yaml')
    const sim = await startForTest({ rules, watch: true })
    expect((await ask(sim, analyticsPath)).status).toBe(404)
    await writeFile(rules, 'rules: [{ scenario: unavailable }]')
    await expect.poll(() => sim.logged.some(({ message }) => message === 'reloaded'), { timeout: 45_000 }).toBe(true)
    expect((await ask(sim, analyticsPath, { sandbox: 'later' })).status).toBe(503)
    const reason = 'requests before a reload (--watch), whose files the bundle does not have: 1'
    expect(await resultsOf(sim)).toEqual([['req-1', 'not-judged', [reason]]])
    expect(await replay(await getBundle(sim, 'later'))).toMatchObject({ code: 0 })
  })

  test('an empty bundle, which proves nothing', async () => {
    const sim = await startForTest()
    expect(await replay(await getBundle(sim, '*'))).toMatchObject({ code: 1 })
  })

  test('a change by the control plane that was redacted', async () => {
    const sim = await startForTest()
    const header = { authorization: 'Bearer let-me-in-123' }
    await putRules(sim, [{ match: { header }, scenario: 'unavailable' }])
    expect((await ask(sim, analyticsPath, { token: 'let-me-in-123' })).status).toBe(503)
    expect(await resultsOf(sim)).toEqual([['req-1', 'not-judged', ['the change PUT /__sim/scenarios was redacted']]])
  })
})

test('a result names 20 of many doubts, and counts the others', async () => {
  const sim = await startForTest()
  for (let count = 0; count < 25; count += 1)
    await ask(sim, '/v1/events', { body: event({ properties: { apiKey: `sk-secret-${count}-0123456789` } }) })
  const bundle = await getBundle(sim)
  const changed = withAnswer(bundle, 'req-25', () => ({ status: 400 }))
  const { stdout } = await replay(changed, { format: 'json' })
  const results: { id: string; reasons: string[] }[] = JSON.parse(stdout).requests
  const { reasons = [] } = results.find(({ id }) => id === 'req-25') ?? {}
  expect(reasons).toHaveLength(22)
  expect(reasons.at(-1)).toBe('4 more before it could not be repeated exactly')
})
