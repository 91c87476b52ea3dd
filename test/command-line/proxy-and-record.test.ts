import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { analyticsPath, call, modelId, objectOf } from '../support/client.ts'
import { convsim, run } from '../support/command.ts'
import { callControl } from '../support/control.ts'
import { listenForTest } from '../support/fake-upstream.ts'
import { harEntry, writeHar } from '../support/har.ts'
import { runInProcess } from '../support/run-tool.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('convsim proxy', () => {
  test('returns the responses of the real service, and fails with --fail-on if they break the contract', async () => {
    const upstream = createServer((req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ token: req.headers.authorization }))
    })
    const origin = `http://127.0.0.1:${await listenForTest(upstream)}`
    const command = convsim(['proxy', `${origin}/v1`, '--port', '0', '--fail-on', 'unexpected'], {
      env: { CONVSIM_UPSTREAM_TOKEN: 'a-secret-from-the-environment' },
    })
    const proxyOrigin = await command.ready()
    const response = await call({ origin: proxyOrigin }, analyticsPath)
    expect(response.body).toEqual({ token: 'Bearer a-secret-from-the-environment' })
    expect(await command.stop()).toBe(3)
    expect(command.stderr()).toContain('The response breaks the contract:')
    expect(command.stdout() + command.stderr()).not.toContain('a-secret')
  })

  test.each([
    [[], /^convsim proxy: Pass the URL of the real service, as in "convsim proxy https:/],
    [['api.example.com'], /^convsim proxy: "api\.example\.com" is not the URL of a service\./],
    [['http://localhost:4010'], /is the address of the proxy itself\. .* --port 4011\./],
    [['http://api.example.com'], /would send CONVSIM_UPSTREAM_TOKEN in clear text/],
    [['https://api.example.com', '--plan', 'free'], /--plan has no effect on convsim proxy/],
  ])('refuses %j and gives the reason', async (args, message) => {
    const { code, stderr } = await run(['proxy', ...args], { env: { CONVSIM_UPSTREAM_TOKEN: 'secret-token' } })
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('secret-token')
  })
})

/** Puts personal data, a secret key and a score outside the simulator's range into a generated response. */
const realResponse = (generated: JsonObject): JsonObject => ({
  ...JSON.parse(JSON.stringify(generated), (name, value) => {
    if (name === 'summary') return 'Ask jane.doe@customer.com, or +49 170 1234567; the key is sk_live_12345678abcdef.'
    return name === 'exampleSnippets' ? ['My name is Jane and I am angry'] : value
  }),
  averageUserSentiment: { label: 'mostly fine', score: 7.5 },
})

describe('convsim record', () => {
  test('lists exact responses, and writes them with --write; the simulator serves them verbatim', async () => {
    const source = await startForTest()
    const response = realResponse(objectOf(await call(source, `${analyticsPath}?period=7d`, { scenario: 'critical' })))
    expect(JSON.stringify(response)).toMatch(/jane\.doe.*My name is Jane/)
    const url = `https://api.example.com/api${analyticsPath}`
    const har = await writeHar([
      harEntry(`${url}?period=7d`, response),
      harEntry(url, { ...response, messageCount: 'jane.doe@customer.com' }),
      harEntry(url, { success: false, error: 'Slow down.' }, { status: 429 }),
    ])
    const out = join(await tempFolder(), 'recorded')
    const listed = await run(['record', har, '--out', out])
    expect([listed.code, existsSync(out)]).toEqual([0, false])
    expect(listed.stdout).toContain(`responses/${modelId}.json: the exact response for 7d, 7 data points, `)
    expect(listed.stdout).toMatch(/^responses\/.*, \d+ kB, redactions: \d+$/m)
    expect(listed.stdout).toContain('Nothing was written. To write the fixtures, repeat the command with --write.')
    expect(listed.stderr).toMatch(/skipped requests \(1\): contract violation: \/messageCount must be a number/)
    expect(listed.stderr).not.toContain('jane')
    expect(listed.stderr).toContain('skipped requests (1): status 429')

    const written = await run(['record', har, '--out', out, '--write'])
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`--fixtures ${out}`) })
    const text = await readFile(join(out, 'responses', `${modelId}.json`), 'utf8')
    expect(text).not.toMatch(/jane|Jane|1234567|sk_live/)
    const checked = await run(['check', out])
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/: ok, .* 1 exact response$/m) })

    const sim = await startForTest({ fixtures: out, models: 'closed' })
    const served = await call(sim, `${analyticsPath}?period=7d`)
    expect(served.body).toEqual(JSON.parse(text).responses[0].body)
    expect(objectOf(served)['averageUserSentiment']).toEqual({ label: 'mostly fine', score: 7.5 })
    expect((await call(sim, `${analyticsPath}?period=30d`)).body).not.toEqual(served.body) // generated
    const generated = await call(sim, `${analyticsPath}?period=7d`, { headers: { 'x-sim-scenario': 'all-null' } })
    expect(objectOf(generated)['conversationCount']).toBe(0)
    const headers = { authorization: 'Bearer any-key' }
    const request = { method: 'GET', path: `${analyticsPath}?period=7d`, headers }
    const { why } = await callControl(sim, 'POST', '/explain', request)
    expect(JSON.stringify(why)).toContain(`The response is taken as is from the fixtures: ${out}/responses/`)

    const again = await run(['record', har, '--out', out, '--write'])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty, and existing files are never') })
  })

  test('uses the ordinary responses from a simulator, and skips responses sent or changed by scenarios', async () => {
    const source = await startForTest()
    await call(source, `${analyticsPath}?period=7d`)
    await call(source, `${analyticsPath}?period=90d`, { scenario: 'dribble;ms=1' })
    const names = ['rate-limited', 'largest-numbers', 'all-null', 'critical', 'slow;ms=1, null;fields=recommendations']
    for (const scenario of names) expect((await call(source, analyticsPath, { scenario })).status).toBeLessThan(500)
    const folder = await tempFolder()
    const har = join(folder, 'traffic.har')
    await writeFile(har, await (await fetch(`${source.origin}/__sim/requests?format=har`)).text())
    for (const traffic of [har, source.origin]) {
      const listed = await runInProcess(['record', traffic, '--out', join(folder, 'recorded')])
      const periods = [...listed.stdout.matchAll(/: the exact response for (\w+)/g)].map(([, period]) => period)
      expect(periods).toEqual(['7d', '90d'])
      expect(listed.stderr).toBe(
        'skipped requests (5): no usable response: A convsim scenario sent or changed this response.\n',
      )
    }
  })

  test('keeps an exact response from --fixtures unless its model and period were recorded again', async () => {
    const folder = await tempFolder()
    const otherId = '5a7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
    const record = async (out: string, fixtures: readonly string[], ...paths: readonly string[]) => {
      const source = await startForTest({ seed: out })
      for (const path of paths) await call(source, path)
      const args = ['--out', join(folder, out), '--write', ...fixtures]
      const { code, stdout } = await runInProcess(['record', source.origin, ...args])
      const responsesOf = async (model: string) =>
        JSON.parse(await readFile(join(folder, out, 'responses', `${model}.json`), 'utf8')).responses
      expect(code).toBe(0)
      return { stdout, responsesOf }
    }
    const first = await record('first', [], `${analyticsPath}?period=7d`, `${analyticsPath}?period=90d`)
    const baseFlags = ['--fixtures', join(folder, 'first')]
    const second = await record('second', baseFlags, `/v1/models/${otherId}/analytics`, `${analyticsPath}?period=90d`)
    expect(second.stdout).toContain(`responses/${modelId}.json: the exact response for 7d, already in the fixtures\n`)
    const [before, after] = [await first.responsesOf(modelId), await second.responsesOf(modelId)]
    expect(after).toContainEqual(before.find((response: JsonObject) => response['period'] === '7d'))
    expect(after).toHaveLength(2)
    expect(after).not.toContainEqual(before.find((response: JsonObject) => response['period'] === '90d'))
    expect(await second.responsesOf(otherId)).toMatchObject([{ period: '30d' }])
  })

  test.each([
    [['--out', 'x'], /Pass a source/],
    [['none.har'], /Specify the folder to write the fixtures to: --out FOLDER\./],
    [['none.har', '--out', 'x'], /none\.har cannot be read/],
    [
      ['http://127.0.0.1:2', '--out', 'x'],
      /The requests recorded by the simulator at .* cannot be read: .*ECONNREFUSED/,
    ],
  ])('refuses %j and gives the reason', async (args, message) => {
    const { code, stderr } = await run(['record', ...args])
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })
})
