import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call } from '../support/client.ts'
import { run } from '../support/command.ts'
import { findingsOf, runDrift, upstreamToken } from '../support/drift.ts'
import { type Change, proxyTo, startFakeUpstream } from '../support/fake-upstream.ts'
import { harEntry, writeHar } from '../support/har.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const model = '00000000-0000-4000-8000-000000000003'
const ids = `--ids=modelId=${model}`

describe('convsim drift', () => {
  test('finds no drift in a simulator, and uses the token from the environment', async () => {
    const { baseUrl } = await startForTest()
    const outcome = await run(['drift', baseUrl, ids], { env: { CONVSIM_UPSTREAM_TOKEN: upstreamToken } })
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toMatch(/same: 0 differences; 3 responses from getModelAnalytics\b.* judged\./)
  })

  test('--dry-run prints the planned requests and sends nothing', async () => {
    const upstream = await startFakeUpstream()
    const dry = await runDrift([upstream.baseUrl, ids, '--dry-run', '--writes', upstream.host, '--samples', '1'])
    expect(dry.code).toBe(0)
    const { requests } = JSON.parse(dry.stdout)
    const reads = ['7d', '30d', '90d'].map((period) => `GET /models/${model}/analytics?period=${period}`)
    const planned = [...reads, 'POST /prompts', 'POST /events'].map((line) => line.replace('/', `${upstream.baseUrl}/`))
    const listed = requests.map(({ method, url }: Record<string, string>) => `${method} ${url}`)
    expect(listed).toEqual(expect.arrayContaining(planned))
    expect(dry.stdout).toMatch(/"insertId": ?"convsim-probe-\d{8}T\d{6}Z-1"/)
    expect(upstream.requests).toEqual([])
    const text = await runDrift([upstream.baseUrl, '--dry-run', '--format', 'text'])
    expect(text.stdout).toMatch(new RegExp(`\\d requests would be sent to ${upstream.host}; nothing was sent\\.`))
    const withoutPath = await runDrift([`http://${upstream.host}`, '--dry-run', '--format', 'text'])
    expect(withoutPath.stdout).toBe(text.stdout)
  })

  const har = ['--har', 'a.har']

  test.each([
    [['https://api.example.com/v1', '--writes', 'api.example.org'], 'is not the host of the service, api.example.com.'],
    [['http://api.example.com/v1'], 'in clear text'],
    [['https://api.example.com/v1', '--ids', 'model=1'], '--ids model: no operation has a parameter or body field'],
    [['--har', 'missing.har'], 'missing.har cannot be read'],
    [[...har, '--patch', 'nowhere/patch.yaml'], 'there is no folder nowhere. Create it first.'],
    [[...har, '--patch', 'package.json'], 'package.json was not written by convsim drift, so it is not overwritten.'],
    [[], 'Pass the base URL of the real service'],
    [['--har', 'a.har', '--writes', 'x'], 'cannot be combined with --har, which sends no requests'],
    [[...har, '--dry-run'], 'cannot be combined with --har, which sends no requests'],
  ])('refuses %j and gives the reason', async (args, reason) => {
    const { code, stderr } = await runDrift(args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
  })

  test('refuses a token that is not valid in a header, without showing the token', async () => {
    const refused = await runDrift(['https://api.example.com/v1'], 'two words-secret')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('CONVSIM_UPSTREAM_TOKEN has characters')
    expect(refused.stderr).not.toContain('words-secret')
  })
})

const redirect: Change = (response) => {
  response.status = 302
  response.headers['location'] = 'https://login.example.com/'
}

const slow: Change = (response) => void Object.assign(response, { delayMs: 60_000 })

/** Sends one request for each of three periods, and one request that is refused. */
async function requestAnalytics(simulator: TestSimulator) {
  for (const period of ['7d', '30d', '90d']) await call(simulator, `/v1/models/${model}/analytics?period=${period}`)
  await call(simulator, '/v1/models/00000000-0000-4000-8000-000000000429/analytics')
}

/** Judges the traffic that a simulator exports as a HAR file. */
async function judgeExport(simulator: TestSimulator) {
  const file = join(await tempFolder(), 'traffic.har')
  await writeFile(file, await (await fetch(`${simulator.origin}/__sim/requests?format=har`)).text())
  return runDrift(['--har', file], null)
}

describe('recorded traffic', () => {
  test.each<[string, Change | undefined, boolean, string, string | undefined]>([
    ['from a proxy is judged', undefined, false, 'same', undefined],
    ['with a redirect to another host is not judged', redirect, false, 'not-judged', 'redirect'],
    ['from a service that timed out is not judged', slow, false, 'not-judged', 'time-out'],
    ['from a service with an expired certificate is not judged', undefined, true, 'not-judged', 'connection'],
  ])('%s', async (_, change, hasExpiredCertificate, verdict, reason) => {
    const { origin } = new URL((await startFakeUpstream(change, hasExpiredCertificate)).baseUrl)
    const proxy = await proxyTo(origin, { basePath: '/v1', timeoutMs: change === slow ? 50 : 60_000 })
    await requestAnalytics(proxy)
    const { code, report } = await judgeExport(proxy)
    const isReasonListed = report.notJudged.some((one) => one.reason === reason)
    const isSame = verdict === 'same'
    expect([report.verdict, code, report.findings, isReasonListed]).toEqual([verdict, isSame ? 0 : 1, [], !isSame])
  })

  test('in a HAR file is judged, unless requests to several services match the contract', async () => {
    const sim = await startForTest()
    const path = `/v1/models/${model}/analytics`
    const text = (await call(sim, path)).text.replace('"critical"', '"doomed"')
    const entries = Array(3).fill(harEntry(`https://api.example.com/base${path}`, text))
    const other = harEntry('https://cdn.example.com/app.js', '')
    const file = await writeHar([...entries, other])
    const write = async (...all: object[]) => rename(await writeHar(all), file)
    const judged = await runDrift(['--har', file], null)
    expect(findingsOf(judged)).toEqual(['enum-value /recommendations/healthLevel'])
    const withBaseUrl = await runDrift(['https://api.example.com/base/v1', '--har', file], null)
    expect(findingsOf(withBaseUrl)).toEqual(findingsOf(judged))
    const patch = join(await tempFolder(), 'patch.yaml')
    const unrelated = await runDrift(['https://api.example.org/v1', '--har', file, '--patch', patch], null)
    expect([unrelated.code, unrelated.report.verdict]).toEqual([1, 'not-judged'])
    expect(unrelated.stderr).toContain('too few responses could be judged, so no patch was written.')
    await write(...entries, harEntry(`https://tracker.example.com${path}`, text))
    const several = await runDrift(['--har', file], null)
    expect(several.code).toBe(1)
    expect(several.stderr).toContain('https://api.example.com, https://tracker.example.com. Also pass the base URL')
    await write(...entries)
    const markdown = await runDrift(['--har', file, '--format', 'markdown'], null)
    expect([markdown.code, markdown.stdout]).toEqual([3, expect.stringContaining('### enum-value: ')])
  })
})
