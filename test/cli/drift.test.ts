import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isObject, type Json } from '../../src/core/json.ts'
import { ask } from '../support/client.ts'
import { run } from '../support/command.ts'
import { placesOf, runDrift, upstreamToken } from '../support/drift.ts'
import { type Change, startFakeUpstream } from '../support/fake-upstream.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ids = '--ids=modelId=00000000-0000-4000-8000-000000000003'

describe('convsim drift', () => {
  test('finds the built simulator the same, with the token of the environment', async () => {
    const { baseUrl } = await startForTest()
    const ended = await run(['drift', baseUrl, ids], { env: { CONVSIM_UPSTREAM_TOKEN: upstreamToken } })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('same: 0 differences; 3 answers of getModelAnalytics judged.')
  })

  test('prints the plan of a dry run, and sends nothing', async () => {
    const upstream = await startFakeUpstream()
    const dry = await runDrift([upstream.baseUrl, ids, '--dry-run', '--writes', upstream.host, '--samples', '1'])
    expect(dry.code).toBe(0)
    const { requests } = JSON.parse(dry.stdout)
    expect(requests.map(({ method, url }: { method: string; url: string }) => `${method} ${url}`)).toEqual([
      ...['7d', '30d', '90d'].map(
        (period) => `GET ${upstream.baseUrl}/models/00000000-0000-4000-8000-000000000003/analytics?period=${period}`,
      ),
      `POST ${upstream.baseUrl}/prompts`,
      `POST ${upstream.baseUrl}/events`,
    ])
    expect(requests[4].body.insertId).toMatch(/^convsim-probe-\d{8}T\d{6}Z-1$/)
    expect(upstream.requests).toEqual([])
    const text = await runDrift([upstream.baseUrl, '--dry-run', '--format', 'text'])
    expect(text.stdout).toContain(`3 requests would be sent to ${upstream.host}; nothing was sent.`)
    const withoutPath = await runDrift([`http://${upstream.host}`, '--dry-run', '--format', 'text'])
    expect(withoutPath.stdout).toBe(text.stdout)
  })

  test.each([
    [
      ['https://api.example.com/v1', '--writes', 'api.example.org'],
      'is not the host of the service, api.example.com. Nothing was sent.',
    ],
    [['http://api.example.com/v1'], 'in clear text'],
    [['https://api.example.com/v1', '--ids', 'model=1'], '--ids model: no operation has such a parameter'],
    [['--har', 'missing.har'], 'missing.har cannot be read'],
    [['--har', 'a.har', '--patch', 'nowhere/patch.yaml'], 'there is no folder nowhere. Make it first.'],
    [['--har', 'a.har', '--patch', 'package.json'], 'package.json is no patch of convsim drift, and would be lost.'],
    [
      ['--har', 'a.har', '--contract', 'spec/openapi.yaml', '--patch', './spec/openapi.yaml'],
      './spec/openapi.yaml is read as the contract or as an overlay.',
    ],
  ])('%j is refused before anything is sent', async (args, reason) => {
    const refused = await runDrift(args)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(reason)
  })

  test.each([
    [[], 'Give the base URL of the real service'],
    [['--journal', 'a.json', '--writes', 'x'], '--journal sends nothing'],
    [['--har', 'a.har', '--dry-run'], '--har sends nothing'],
  ])('%j is refused as a command line', async (args, reason) => {
    const { code, stderr } = await runDrift(args)
    expect(code).toBe(1)
    expect(stderr).toContain(reason)
  })

  test('a token that no header can carry is refused, and not shown', async () => {
    const refused = await runDrift(['https://api.example.com/v1'], 'two words-secret')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('CONVSIM_UPSTREAM_TOKEN has characters')
    expect(refused.stderr).not.toContain('words-secret')
  })
})

const redirecting: Change = (answer) => {
  answer.status = 302
  answer.headers['location'] = 'https://login.example.com/'
}

const slow: Change = (answer) => {
  answer.delayMs = 60_000
}

/** Starts a proxy in front of a service. */
function startProxy(baseUrl: string, timeoutMs = 5000) {
  return startForTest({}, { origin: new URL(baseUrl).origin, basePath: '/v1', token: undefined, timeoutMs })
}

/** Asks a service, or a proxy, for three periods and once for a refusal. */
async function askForPeriods(simulator: TestSimulator) {
  for (const period of ['7d', '30d', '90d'])
    await ask(simulator, `/v1/models/00000000-0000-4000-8000-000000000003/analytics?period=${period}`)
  await ask(simulator, '/v1/models/00000000-0000-4000-8000-000000000429/analytics')
}

/** Asks a service through a proxy, whose journal it returns. */
async function recordJournal(change?: Change) {
  const proxy = await startProxy((await startFakeUpstream(change)).baseUrl)
  await askForPeriods(proxy)
  return (await ask(proxy, '/__sim/requests?bodies=true')).body
}

/** Judges the journal of a simulator or a proxy, and its HAR file. */
async function judgeBoth(simulator: TestSimulator) {
  const folder = await tempFolder()
  const runs = []
  for (const [form, query] of [
    ['journal', 'bodies=true'],
    ['har', 'format=har'],
  ]) {
    const file = join(folder, `traffic.${form}`)
    const answer = await fetch(`${simulator.origin}/__sim/requests?${query}`)
    await writeFile(file, await answer.text())
    runs.push(await runDrift([`--${form}`, file], null))
  }
  return runs
}

describe('recorded traffic', () => {
  test('of a journal is judged without network', async () => {
    const file = join(await tempFolder(), 'journal.json')
    const journal = await recordJournal()
    await writeFile(file, JSON.stringify(journal))
    const same = await runDrift(['--journal', file], null)
    expect([same.report.verdict, same.code, same.report.findings]).toEqual(['same', 0, []])
    expect(same.report.notJudged.map(({ reason }) => reason)).toEqual(['no-traffic', 'no-traffic'])

    const text = JSON.stringify(journal).replaceAll('"severity":', '"urgency":')
    await writeFile(file, text)
    const drift = await runDrift(['--journal', file], null)
    expect([placesOf(drift), drift.code]).toEqual([['renamed-field /recommendations/detectedIssues/*/severity'], 3])
    const few = await runDrift(['--journal', file, '--samples', '4'], null)
    expect(few.report.notJudged).toContainEqual(expect.objectContaining({ reason: 'too-few-samples' }))
  })

  test('of a proxy is the same in its journal and its HAR file', async () => {
    const proxy = await startProxy((await startFakeUpstream()).baseUrl)
    await askForPeriods(proxy)
    for (const { code, report } of await judgeBoth(proxy))
      expect([report.verdict, code, report.findings]).toEqual(['same', 0, []])
  })

  test('of the simulator itself is not judged', async () => {
    const simulator = await startForTest()
    await askForPeriods(simulator)
    for (const { code, report } of await judgeBoth(simulator)) {
      expect([report.verdict, code, report.findings]).toEqual(['not-judged', 1, []])
      expect(report.notJudged).toContainEqual(expect.objectContaining({ reason: 'not-the-service', count: 3 }))
    }
  })

  test('with a redirect to another host is not judged there, as the service itself is not', async () => {
    const proxy = await startProxy((await startFakeUpstream(redirecting)).baseUrl)
    await askForPeriods(proxy)
    for (const { code, report } of await judgeBoth(proxy)) {
      expect([report.verdict, code, report.findings]).toEqual(['not-judged', 1, []])
      expect(report.notJudged).toContainEqual(expect.objectContaining({ reason: 'redirect' }))
    }
  })

  test.each([
    ['time-out', false],
    ['certificate', true],
  ] as const)('of a proxy names a %s of the service', async (reason, isExpired) => {
    const { baseUrl } = await startFakeUpstream(slow, isExpired)
    const proxy = await startProxy(baseUrl, 50)
    await ask(proxy, '/v1/models/00000000-0000-4000-8000-000000000003/analytics')
    for (const { code, report } of await judgeBoth(proxy)) {
      expect([report.verdict, code, report.findings]).toEqual(['not-judged', 1, []])
      expect(report.notJudged).toContainEqual(
        expect.objectContaining({ reason, sentence: expect.stringContaining('real service') }),
      )
    }
  })

  test('of a HAR file is judged, and requests to other services are passed over', async () => {
    const journal = await recordJournal()
    const entries = (isObject(journal) && Array.isArray(journal['requests']) ? journal['requests'] : []).map(
      (entry) => {
        const { request, answer } = entry as { request: Record<string, Json>; answer: Record<string, Json> }
        const content = isObject(answer['body']) ? JSON.stringify(answer['body']['json']) : ''
        return {
          request: {
            method: 'GET',
            url: `https://api.example.com/base${request['path']}?${request['query']}`,
            headers: [],
          },
          response: {
            status: answer['status'],
            headers: [{ name: 'content-type', value: 'application/json' }],
            content: { size: content.length, text: content.replace('"critical"', '"doomed"') },
          },
        }
      },
    )
    const other = {
      request: { method: 'GET', url: 'https://cdn.example.com/app.js', headers: [] },
      response: { status: 200 },
    }
    const file = join(await tempFolder(), 'traffic.har')
    await writeFile(file, JSON.stringify({ log: { version: '1.2', entries: [...entries, other] } }))
    const report = await runDrift(['--har', file], null)
    expect(placesOf(report)).toEqual(['enum-value /recommendations/healthLevel'])
    const meant = await runDrift(['https://api.example.com/base/v1', '--har', file], null)
    expect(placesOf(meant)).toEqual(placesOf(report))
    const patch = join(await tempFolder(), 'patch.yaml')
    const none = await runDrift(['https://api.example.org/v1', '--har', file, '--patch', patch], null)
    expect([none.code, none.report.verdict]).toEqual([1, 'not-judged'])
    expect(none.stderr).toContain('too little could be judged, so --patch writes nothing.')
    const [first] = entries
    const elsewhere = JSON.stringify(first).replace('api.example.com/base', 'tracker.example.com')
    await writeFile(file, JSON.stringify({ log: { entries: [...entries, JSON.parse(elsewhere)] } }))
    const several = await runDrift(['--har', file], null)
    expect(several.code).toBe(1)
    expect(several.stderr).toContain('https://api.example.com and https://tracker.example.com. Give the base URL')
    await writeFile(file, JSON.stringify({ log: { entries } }))
    for (const format of ['text', 'markdown', 'github']) {
      const { stdout, code } = await runDrift(['--har', file, '--format', format], null)
      expect(stdout).toContain('/recommendations/healthLevel')
      expect(code).toBe(3)
    }
  })
})
