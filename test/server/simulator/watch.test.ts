import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bundledContract, bundledFixtures } from '../../../src/service/fixtures/bundled.ts'
import { call, event, objectOf } from '../../support/client.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const modelId = '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
const analytics = `/v1/models/${modelId}/analytics`

/** A simulator that watches the files in a folder. */
interface WatchingSimulator extends TestSimulator {
  /** Replaces a file in the folder by renaming a new file, as many editors do. */
  readonly replace: (name: string, text: string) => Promise<void>
  readonly contractText: string
  readonly folder: string
}

/** Writes the bundled files, an overlay and rules to a folder, and starts a simulator that watches them. */
async function startWatching(): Promise<WatchingSimulator> {
  const folder = await tempFolder()
  const contractText = await readFile(bundledContract, 'utf8')
  const [file, overlay] = [join(folder, 'contract.yaml'), join(folder, 'overlay.yaml')]
  const [rules, fixtures] = [join(folder, 'rules.yaml'), join(folder, 'fixtures')]
  await Promise.all([
    writeFile(file, contractText),
    writeFile(overlay, overlayWith('{ x-a: 1 }')),
    writeFile(rules, 'rules: []\n'),
    cp(bundledFixtures, fixtures, { recursive: true }),
  ])
  const simulator = await startForTest({ contract: file, overlay, rules, fixtures, watch: true })
  const replace = async (name: string, text: string) => {
    await writeFile(join(folder, `${name}.new`), text)
    await rename(join(folder, `${name}.new`), join(folder, name))
  }
  return { ...simulator, replace, contractText, folder }
}

const overlayWith = (info: string) =>
  `overlay: 1.1.0\ninfo: { title: Test, version: 1.0.0 }\nactions:\n  - { target: $.info, update: ${info} }\n`

/** Returns a path item with these members, such as an example or a schema, in its media type object. */
const pathItemWith = (body: string) =>
  `{ get: { responses: { '200': { description: ok, content: { application/json: { ${body} } } } } } }`

const infoOf = async (simulator: TestSimulator) => objectOf(await call(simulator, '/__sim/info'))

/** Waits until the response to `GET /__sim/info` has these members. */
const untilInfo = (simulator: TestSimulator, members: object) =>
  vi.waitFor(async () => expect(await infoOf(simulator)).toMatchObject(members), { timeout: 45_000, interval: 50 })

const generation = (number: number) => ({ contract: { generation: number } })

describe('a simulator with --watch', () => {
  test('notices a change to a file that the contract refers to', async () => {
    const folder = await tempFolder()
    const contract = join(folder, 'api.yaml')
    const pathItem = (text: string) =>
      `get: { responses: { '200': { description: ok, content: { application/json: { example: ${text} } } } } }\n`
    await writeFile(contract, "openapi: 3.0.3\ninfo: { title: A, version: '1' }\npaths: { /a: { $ref: a.yaml } }\n")
    await writeFile(join(folder, 'a.yaml'), pathItem('first'))
    const simulator = await startForTest({ contract, watch: true })
    expect((await call(simulator, '/a')).body).toBe('first')
    await writeFile(join(folder, 'a.yaml'), pathItem('second'))
    await vi.waitFor(async () => expect((await call(simulator, '/a')).body).toBe('second'), { timeout: 45_000 })
  })

  test.each([
    ['a path item', (ref: string) => ref, pathItemWith('example: corrected')],
    ['a schema', (ref: string) => pathItemWith(`schema: ${ref}`), '{ const: corrected }'],
  ])('notices a fix to a broken file that the changed contract references as %s', async (_, pathItem, corrected) => {
    const folder = await tempFolder()
    const [contract, part] = [join(folder, 'api.yaml'), join(folder, 'part.yaml')]
    const withPath = (item: string) => `openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: { /a: ${item} }\n`
    await writeFile(contract, withPath(pathItemWith('example: initial')))
    const simulator = await startForTest({ contract, watch: true })
    await writeFile(part, '{')
    await writeFile(contract, withPath(pathItem('{ $ref: part.yaml }')))
    await vi.waitFor(() => expect(JSON.stringify(simulator.logged)).toContain('part.yaml'), { timeout: 45_000 })
    await writeFile(part, corrected)
    await vi.waitFor(async () => expect((await call(simulator, '/a')).body).toBe('corrected'), { timeout: 45_000 })
  })

  test('keeps watching referenced files while the contract has a syntax error', async () => {
    const folder = await tempFolder()
    const contract = join(folder, 'api.yaml')
    const valid = "openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: { /a: { $ref: part.yaml } }\n"
    await writeFile(contract, valid)
    await writeFile(join(folder, 'part.yaml'), pathItemWith('example: initial'))
    const simulator = await startForTest({ contract, watch: true })
    await writeFile(contract, '{')
    await untilInfo(simulator, { failedReload: { findings: [{ severity: 'error' }] } })
    await writeFile(contract, valid)
    await untilInfo(simulator, generation(2))
    await new Promise((resolve) => setTimeout(resolve, 1_000)) // several polls
    expect(await infoOf(simulator)).toMatchObject(generation(2))
    expect(simulator.logged.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  test('counts a request toward the rule that applied to it, even if the rules then change', async () => {
    const simulator = await startWatching()
    const [slow, unapplied] = ['{ scenario: slow;ms=3000 }', '{ scenario: "404", operation: createEvent }']
    await simulator.replace('rules.yaml', `rules: [${slow}]\n`)
    await untilInfo(simulator, generation(2))
    const response = call(simulator, analytics)
    await simulator.replace('rules.yaml', `rules: [${unapplied}, ${slow}]\n`)
    await untilInfo(simulator, generation(3))
    expect((await response).status).toBe(200)
    const { unmet } = objectOf(await call(simulator, '/__sim/report?sandbox=*'))
    expect(unmet).toMatchObject([{ scope: 'startup', index: 0, applied: 0 }])
  })

  test('applies changes to the contract, overlay, fixtures and rules, and keeps the state', async () => {
    const simulator = await startWatching()
    const { replace, contractText } = simulator
    const { digest } = objectOf({ status: 200, body: (await infoOf(simulator))['contract'] })
    await call(simulator, '/v1/events', { body: event() })

    await replace('contract.yaml', contractText.replace(/version: \S+/, 'version: 77.0.0'))
    await untilInfo(simulator, { contract: { generation: 2, version: '77.0.0' }, state: { events: 1 } })
    const changed = { digest: expect.not.stringMatching(String(digest)) }
    expect(await infoOf(simulator)).toMatchObject({ watch: true, contract: changed })

    const keys = await readFile(join(bundledFixtures, 'keys.yaml'), 'utf8')
    await Promise.all([
      replace('overlay.yaml', overlayWith('{ title: Overlaid }')),
      replace('fixtures/keys.yaml', `${keys}\n- { token: a-new-key, about: New., scenario: forbidden }\n`),
      replace('rules.yaml', 'rules: [{ scenario: rate-limited }]\n'),
    ])
    await untilInfo(simulator, { contract: { generation: 3, title: 'Overlaid' } })
    expect((await call(simulator, analytics, { token: 'a-new-key' })).status).toBe(403)
    expect((await call(simulator, analytics)).status).toBe(429)
    const reloads = simulator.logged.filter(({ message }) => message === 'reloaded')
    expect(reloads.map(({ fields }) => fields)).toMatchObject([
      { files: [expect.stringMatching(/contract\.yaml$/)], generation: 2, tookMs: expect.any(Number) },
      { files: ['overlay', 'keys', 'rules'].map((name) => expect.stringContaining(`${name}.yaml`)) },
    ])
  })

  test('reports where a file has an error, and uses the previous version until the file is fixed', async () => {
    const simulator = await startWatching()
    const { replace } = simulator
    await replace('rules.yaml', 'rules: [{ scenario: nonsense }]\n')
    const findings = [{ severity: 'error', place: expect.stringMatching(/rules\.yaml:\d+:\d+$/) }]
    await untilInfo(simulator, { ...generation(1), failedReload: { findings } })
    expect(simulator.logged.find(({ level }) => level === 'warn')).toMatchObject({
      fields: { findings: [expect.stringContaining('nonsense')] },
    })
    const stale = expect.stringMatching(/rules\.yaml:.*[^.]\. GET \/__sim\/info lists all errors\.$/)
    expect(await call(simulator, '/healthz')).toMatchObject({ status: 200, body: { status: 'healthy', stale } })
    expect((await call(simulator, '/v1/events', { body: event() })).status).toBe(201)
    await replace('rules.yaml', 'rules: [{ scenario: rate-limited }]\n')
    await untilInfo(simulator, generation(2))
    expect(await infoOf(simulator)).not.toHaveProperty('failedReload')
    expect((await call(simulator, '/healthz')).body).not.toHaveProperty('stale')
  })

  test('reports a contract that refers to a file outside the project or has an invalid OpenAPI extension', async () => {
    const simulator = await startWatching()
    const paths = '\npaths:\n'
    for (const [path, message] of [
      ['$ref: /etc/hostname', 'is outside'],
      ['get: { x-simulated-status: 7, responses: { 200: { description: A } } }', 'must map "success"'],
    ] as const) {
      await simulator.replace('contract.yaml', simulator.contractText.replace(paths, `${paths}  /a: { ${path} }\n`))
      const finding = { severity: 'error', message: expect.stringContaining(message) }
      await untilInfo(simulator, {
        ...generation(1),
        failedReload: { findings: expect.arrayContaining([expect.objectContaining(finding)]) },
      })
    }
  })

  test('serves an exact response from the fixtures once it is added or changed, until it is deleted', async () => {
    const simulator = await startWatching()
    const { replace, folder } = simulator
    const get = async () => objectOf(await call(simulator, analytics))
    const generated = await get()
    const withCount = (messageCount: number) => {
      const responses = [{ period: '30d', body: { ...generated, messageCount } }]
      return JSON.stringify({ about: 'Recorded.', operation: 'getModelAnalytics', modelId, responses })
    }
    await mkdir(join(folder, 'fixtures/responses'))
    await replace('fixtures/responses/one.json', withCount(-1))
    await untilInfo(simulator, generation(2))
    expect(await get()).toMatchObject({ messageCount: -1 })
    await replace('fixtures/responses/one.json', withCount(-2))
    await untilInfo(simulator, generation(3))
    expect(await get()).toMatchObject({ messageCount: -2 })
    await replace('fixtures/responses/one.json', '{')
    await untilInfo(simulator, { failedReload: { findings: [{ place: expect.stringContaining('one.json') }] } })
    await rm(join(folder, 'fixtures/responses/one.json'))
    await untilInfo(simulator, generation(4))
    expect(await get()).toEqual(generated)
  })

  test('skips and reports a sandbox rule while the rule’s operation is missing from the contract', {
    tags: ['long'],
  }, async () => {
    const simulator = await startWatching()
    const { replace, contractText } = simulator
    const rules = { rules: [{ operation: 'createEvent', scenario: 'forbidden' }, { scenario: '429' }] }
    await call(simulator, '/__sim/scenarios?sandbox=a', { method: 'PUT', body: rules })
    const send = () => call(simulator, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'a' } })
    const counts = async () => objectOf(await call(simulator, '/__sim/scenarios?sandbox=a'))['counts']
    expect((await send()).status).toBe(403)

    await replace('contract.yaml', contractText.replaceAll('createEvent', 'createEvents'))
    const problem = expect.stringContaining('createEvents')
    const warning = { level: 'warn', fields: { sandbox: 'a', rule: 1, problem } }
    await vi.waitFor(() => expect(simulator.logged.at(-1)).toMatchObject(warning), { timeout: 45_000 })
    expect((await send()).status).toBe(429)
    expect(await counts()).toMatchObject({ rules: [{ applied: 1, skipReason: problem }, { applied: 1 }] })

    await replace('contract.yaml', contractText)
    await untilInfo(simulator, generation(3))
    expect((await send()).status).toBe(403)
    expect(await counts()).toEqual({ rules: [{ applied: 2 }, { applied: 1 }], startup: [] })
  })

  test('reports a startup rule that was never applied, even if the rules were reordered', async () => {
    const simulator = await startWatching()
    const [applied, unapplied] = ['{ scenario: "403", operation: getModelAnalytics }', '{ scenario: "404" }']
    await simulator.replace('rules.yaml', `rules: [${applied}, ${unapplied}]\n`)
    await untilInfo(simulator, generation(2))
    expect((await call(simulator, analytics)).status).toBe(403)
    await simulator.replace('rules.yaml', `rules: [${unapplied}, ${applied}]\n`)
    await untilInfo(simulator, generation(3))
    const { unmet } = objectOf(await call(simulator, '/__sim/report?sandbox=*'))
    expect(unmet).toMatchObject([{ scope: 'startup', index: 0, applied: 0 }])
  })

  test('keeps the coverage of operations that are still in the contract after a change', async () => {
    const simulator = await startWatching()
    const { replace, contractText } = simulator
    await call(simulator, `${analytics}?period=7d`)
    await call(simulator, '/v1/events', { body: event() })
    await replace('contract.yaml', contractText.replaceAll('createEvent', 'storeEvent'))
    await untilInfo(simulator, generation(2))
    const { operations } = objectOf(await call(simulator, '/__sim/coverage'))
    const covered = expect.arrayContaining(['query period=7d'])
    expect(operations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ operation: 'getModelAnalytics', requests: 1, covered }),
        expect.objectContaining({ operation: 'storeEvent', requests: 0, covered: [] }),
      ]),
    )
  })

  test('drops no requests while the contract is replaced, and handles each request with one version of the contract', {
    tags: ['long'],
  }, async () => {
    const simulator = await startWatching()
    const { replace, contractText } = simulator
    const eventProperties = /\n {4}EventCreate:\n[\s\S]*? properties:\n/
    const stricter = contractText.replace(eventProperties, '$&        room: { type: string, maxLength: 2 }\n')
    expect(stricter).not.toBe(contractText)
    const statuses = new Map<number, number>()
    let isDone = false
    const send = async () => {
      while (!isDone) {
        const { status } = await call(simulator, '/v1/events', { body: event({ room: 'abc' }) })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const clients = Array.from({ length: 4 }, send)
    const stop = () => {
      isDone = true
    }
    onTestFinished(stop)
    for (let round = 0; round < 5; round += 1) {
      await replace('contract.yaml', `${round % 2 === 0 ? stricter : contractText}\n# ${round}\n`)
      await untilInfo(simulator, generation(round + 2))
      await replace('contract.yaml', `${contractText}\nbroken: [`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    stop()
    await Promise.all(clients)
    expect([...statuses.keys()].sort()).toEqual([201, 400])
    expect(await infoOf(simulator)).toMatchObject({ ...generation(6), state: { events: statuses.get(201) } })
  })
})
