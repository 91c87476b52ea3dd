// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { freePort } from '../bench/target.ts'
import { describeInBrowser, readClipboard, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, call, event, objectOf, prompt } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { callRaw } from '../support/raw-http.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

const browser = sharedBrowser()

/** Opens the newest recorded request. */
async function openNewest(sim: TestSimulator, hash?: string): Promise<Page> {
  const page = await browser.open(sim, hash === undefined ? {} : { hash })
  await page.locator('td.path a').first().click()
  await page.getByRole('heading', { name: 'Why' }).waitFor()
  return page
}

/** Clicks a copy button and returns the copied text. The click changes the label but not the accessible name. */
async function copy(page: Page, title: string): Promise<string> {
  await page.getByRole('button', { name: title }).click()
  await page.getByRole('status').getByText('Copied', { exact: true }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: title }).getByText('Copied').waitFor()
  return readClipboard(page)
}

/** Returns the newest recorded request with its body. */
const readNewest = async (sim: TestSimulator) =>
  (await listRequests(sim, 'order=newest&limit=1&bodies=true'))[0]?.request

describeInBrowser('an open request', () => {
  test('can be copied as curl, as a working fetch call, and as a passing vitest test', async ({ own }) => {
    const body = event({ value: "it's $5 `now`", productId: 'x' })
    await call(own, '/v1/events', { body, headers: { 'x-team': 'a "b"' } })
    const sent = await readNewest(own)
    const page = await openNewest(own)
    expect(await copy(page, 'Copy as curl')).toMatch(/^curl [^']*'http[^']*\/v1\/events'/)
    await page.getByRole('button', { name: 'Copy as curl' }).getByText('curl', { exact: true }).waitFor()
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'detached' })
    await runCode(await copy(page, 'Copy as fetch'))
    const fetched = await readNewest(own)
    expect({ ...fetched, headers: sent?.headers }).toEqual(sent)
    expect(fetched?.headers['x-team']).toBe('a "b"')
    const code = await copy(page, 'Copy as a vitest test')
    expect(await runTests(own, code)).toEqual(['POST /v1/events returns 400'])
    expect(code).toMatch(/^import .* from 'conversation-analytics-simulator\/vitest'\n/)
    expect(code).toMatch(/`\$\{sim\.baseUrl\}\/events`/)
    expect(code).toContain('\n    body: JSON.stringify({\n      "eventType": ')
    expect(code).toContain('\n    }),\n  })\n')
  })

  test('can be copied as a test with the scenario that a rule applied to the request', async ({ own }) => {
    await putRules(own, [{ scenario: 'rate-limited', times: 1 }])
    await call(own, analyticsPath)
    expect(await runTests(own, await copy(await openNewest(own), 'Copy as a vitest test'))).toHaveLength(1)
  })

  test('can be copied as a test that passes with another key and sandbox, even if the body is binary', async () => {
    const own = await startForTest({ maxAnalysesPerHour: 1 })
    const copyAndRun = async () => {
      await callControl(own, 'POST', '/reset?sandbox=copied')
      const code = await copy(await openNewest(own, '#/requests?sandbox=*'), 'Copy as a vitest test')
      const [title] = await runTests(own, code)
      return title?.split(' returns ')[1]
    }
    const statuses: unknown[] = []
    for (const token of ['key_free', 'secret~s9', 'secret~s9']) {
      await call(own, analyticsPath, { token })
      statuses.push(await copyAndRun())
    }
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    await fetch(`${own.origin}/v1/events`, { method: 'POST', headers, body: Buffer.from([0xff, 0xfe, 0x00]) })
    const sent = await readNewest(own)
    statuses.push(await copyAndRun())
    expect(statuses).toEqual(['403', '200', '429', '400'])
    expect((await listRequests(own, 'sandbox=copied&order=newest&bodies=true'))[0]?.request.body).toEqual(sent?.body)
  })

  const breakingScenarios = ['reset', 'empty-response', 'hang', 'truncated', 'malformed-json']
  test.each(breakingScenarios)('can be copied as a passing test even if "%s" broke the delivery', async (scenario) => {
    const own = await startForTest()
    const signal = AbortSignal.timeout(2_000) // ends the hang
    const headers = { authorization: 'Bearer any-key', 'x-sim-scenario': scenario }
    await fetch(`${own.origin}${analyticsPath}`, { headers, signal }).catch(() => undefined)
    const [title] = await runTests(own, await copy(await openNewest(own), 'Copy as a vitest test'))
    expect(title).toMatch(/\/analytics: (reset|no response|hung|cut off)$/)
  })

  test('keeps its numbers exactly as sent when it is shown, copied or resent', async ({ own }) => {
    const numbers = '{ "big": 12345678901234567890,"whole":1.0, "power": [1e3], "plain":7 }'
    const text = JSON.stringify(event({ properties: 0 })).replace('"properties":0', `"properties":${numbers}`)
    await call(own, '/v1/events', { body: text })
    const page = await openNewest(own)
    await page.getByText('big: 12345678901234567890').waitFor()
    const lines = page.locator('.json-line', { hasText: 'parsed as' })
    expect(await lines.allTextContents()).toEqual([
      'big: 12345678901234567890parsed as 12345678901234567000',
      'whole: 1.0parsed as 1',
      '1e3parsed as 1000',
    ])
    await runCode(await copy(page, 'Copy as fetch'))
    await runTests(own, await copy(page, 'Copy as a vitest test'))
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('region', { name: 'Request req-4' }).waitFor()
    expect(await listRequests(own, 'bodies=true')).toMatchObject(Array(3).fill({ request: { body: { text } } }))
    expect(await copy(page, 'Copy the request body')).toBe(text)
  })

  test('shows a query parameter that has the name of a built-in object property', async ({ own }) => {
    await call(own, `${analyticsPath}?__proto__=1&period=7d&period=30d`)
    const page = await openNewest(own)
    const lines = page.locator('section.message', { has: page.getByRole('heading', { name: 'Query' }) })
    await lines.getByText('__proto__: "1"').waitFor()
    expect(await lines.locator('.json-string').allTextContents()).toEqual(['"1"', '"7d"', '"30d"'])
    expect(await lines.getByText('missing').count()).toBe(0)
  })

  test('links to the rules only if its "Why" section names a rule', async ({ own }) => {
    await putRules(own, [{ scenario: 'critical' }])
    await call(own, analyticsPath)
    await call(own, `${analyticsPath}?period=1d`)
    const page = await openNewest(own)
    const link = page.getByRole('link', { name: 'Switch the rule off, or change the rules' })
    await page.getByText('Refused with 400: the request has 1 contract violation.').waitFor()
    expect(await page.locator('.facts .status').textContent()).toBe('400')
    expect(await link.count()).toBe(0)
    await page.locator('tr[data-id="req-1"] a').click()
    await link.waitFor()
  })

  test('has a form that switches on a scenario for similar requests, as the first rule', async ({ own }) => {
    const other = { operation: 'createPrompt', scenario: 'server-error', times: 1 }
    await putRules(own, [other])
    await call(own, '/v1/prompts', { body: prompt() })
    await call(own, '/v1/events', { body: event() })
    const page = await openNewest(own)
    await page.getByRole('combobox', { name: 'Scenario' }).selectOption('unavailable')
    await page.getByLabel('Times').fill('2')
    await page.getByLabel('only for the event type upgrade_purchased').check()
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('Switched on the scenario in the sandbox default').waitFor()
    const { rules, counts } = await callControl(own, 'GET', '/scenarios')
    expect(counts).toMatchObject({ rules: [{ applied: 0 }, { applied: 1, left: 0 }] }) // the other rule stays exhausted
    const match = { body: { '/eventType': 'upgrade_purchased' } }
    const added = { operation: 'createEvent', match, scenario: 'unavailable;retry-after=1', times: 2 }
    expect(rules).toMatchObject([added, other])
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await call(own, '/v1/events', { body: event() })).status)
    expect(statuses).toEqual([503, 503, 201])
  })

  test('is replaced by a message if the journal has evicted it', async () => {
    const own = await startForTest({ journalSize: 1 })
    await call(own, '/v1/events', { body: event() })
    await call(own, analyticsPath)
    const page = await browser.open(own, { hash: '#/requests/req-1' })
    await page.getByText('see --journal-size').waitFor()
    expect(objectOf(await call(own, '/__sim/requests', { token: null }))['dropped']).toBe(1)
  })

  test('is not replaced when a new simulator on the same port has another request with the same ID', async () => {
    const port = await freePort()
    const before = await startForTest({ clock: 'real', port })
    await call(before, '/v1/events', { body: event() })
    const page = await browser.open(before, { hash: '#/requests/req-1' })
    const copyAsCurl = page.getByRole('button', { name: 'Copy as curl' })
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    expect(await copyAsCurl.isEnabled()).toBe(true)
    await before.close()
    await page.getByRole('alert').getByText('is not responding').waitFor()
    const after = await startForTest({ clock: 'real', port })
    await call(after, analyticsPath)
    await page.getByText('The journal no longer has this request').waitFor()
    expect(await page.locator('h2 .path').textContent()).toBe('POST /v1/events')
    expect(await copyAsCurl.isDisabled()).toBe(true)
  })

  test('is replaced by a link to its sandbox if another sandbox is selected', async ({ own }) => {
    await call(own, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'aaa' } })
    await callControl(own, 'PUT', '/sandboxes/bbb', { seed: '2' })
    const page = await browser.open(own, { hash: '#/requests/req-1?sandbox=bbb' })
    await page.getByText('It was sent to the sandbox aaa').waitFor()
    expect(await page.getByRole('heading', { name: 'Why' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Show it there' }).click()
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    expect(page.url()).toContain('#/requests/req-1?sandbox=aaa')
    await page.goto(`${own.origin}/__sim/#/requests/req-1?sandbox=*`)
    await page.getByRole('heading', { name: 'Why' }).waitFor()
  })
})

/** Runs code from the clipboard as the body of an async function. */
async function runCode(code: string, variables: Record<string, unknown> = {}): Promise<void> {
  process.env['TOKEN'] = 'any-key'
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor
  await new AsyncFunction(...Object.keys(variables), code)(...Object.values(variables))
}

/** Runs tests as the vitest fixture would, in a sandbox that must have no findings at the end. Returns the titles. */
async function runTests({ origin }: TestSimulator, code: string): Promise<string[]> {
  const found: [string, (fixtures: { readonly sim: unknown }) => Promise<void>][] = []
  const test = (...one: (typeof found)[number]) => found.push(one)
  await runCode(code.replace(/^import .*\n/, ''), { expect, test })
  const sim = (await connect(`${origin}/__sim`)).sandbox('copied')
  for (const [, run] of found) await run({ sim })
  await sim.expectNoFindings()
  return found.map(([title]) => title)
}

const sendButton = (page: Page) => page.getByRole('button', { name: 'Send again' })

/** Returns the text of an HTTP request. Unlike `fetch`, allows any path, and a body in a GET request. */
const rawRequest = (method: string, target: string, headers = '', body = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`

describeInBrowser('resending a recorded request', () => {
  test('never sends it to the control plane, whatever its path', async ({ own }) => {
    const rule = { scenario: 'server-error' }
    await putRules(own, [rule], 'victim')
    const control = '/__sim/scenarios?sandbox=victim'
    const body = '{"rules":[]}'
    const targets = [
      `/v1/..${control}`,
      `/v1/%2e%2e${control}`,
      `/.${control}`,
      `/\\${own.origin.slice('http:/'.length)}${control}`,
      `/${own.origin.slice('http:/'.length)}${control}`,
    ]
    for (const target of targets)
      await callRaw(own.origin, rawRequest('PUT', target, 'Content-Type: application/json\r\n', body))
    const page = await browser.open(own)
    for (const [index, target] of targets.entries()) {
      await page.locator(`tr[data-id="req-${index + 1}"] a`).click()
      await page.getByRole('region', { name: `Request req-${index + 1}` }).waitFor()
      const button = sendButton(page)
      if (await button.isEnabled()) {
        const response = page.waitForResponse((response) => response.request().method() === 'PUT')
        await button.click()
        expect((await response).status(), target).toBe(404)
      } else expect(await button.getAttribute('title')).toContain('Copy the request as curl')
    }
    expect(await callControl(own, 'GET', '/scenarios?sandbox=victim')).toMatchObject({ rules: [rule] })
  })

  test.each([
    ['a request with a fragment', rawRequest('GET', '/v1/a#b'), 'would change the path'],
    ['a TRACE request', rawRequest('TRACE', '/v1/events'), 'Browsers cannot send TRACE'],
    ['a GET request with a body', rawRequest('GET', '/v1/events', '', 'x'), 'Browsers cannot send a body'],
  ])('is disabled for %s, and the button says why', async (_name, text, reason) => {
    const own = await startForTest()
    await callRaw(own.origin, text)
    const page = await browser.open(own, { hash: '#/requests/req-1' })
    await sendButton(page).waitFor()
    expect(await sendButton(page).isDisabled()).toBe(true)
    expect(await sendButton(page).getAttribute('title')).toContain(reason)
  })

  test('does not change a path with two leading slashes', async ({ own }) => {
    await callRaw(own.origin, rawRequest('GET', '//evil.example/x'))
    const page = await browser.open(own, { hash: '#/requests/req-1' })
    await page.getByText('Refused with 404').waitFor()
    await sendButton(page).click()
    await page.getByRole('region', { name: 'Request req-2' }).waitFor()
    const { requests } = await callControl(own, 'GET', '/requests')
    expect(requests).toMatchObject([1, 2].map(() => ({ request: { path: '//evil.example/x' } })))
  })
})

describeInBrowser('a request resent by the page', () => {
  test('is marked as sent from the console, and excluded from reports, findings and retries', async ({ own }) => {
    await call(own, '/v1/events', { body: event({ value: 7 }) })
    const before = await callControl(own, 'GET', '/report')
    const page = await browser.open(own, { hash: '#/requests/req-1' })
    for (const id of ['req-2', 'req-3']) {
      await sendButton(page).click()
      const opened = page.getByRole('region', { name: `Request ${id}` })
      await opened.getByText('sent from the console').waitFor()
    }
    await page.locator('tr[data-id="req-3"]').getByText('sent again').waitFor()
    const { requests } = await callControl(own, 'GET', '/requests')
    expect(requests).toMatchObject([{ id: 'req-1' }, { replayOf: 'req-1' }, { replayOf: 'req-2' }])
    const after = await callControl(own, 'GET', '/report')
    expect({ ...after, run: before['run'] }).toEqual(before) // ignores `run`, which contains the time of the report
    expect(before).toMatchObject({ requests: 1, violations: { requests: 1 }, retries: { findings: [] } })
    const { chains } = await callControl(own, 'GET', '/retries')
    expect(chains).toMatchObject([{ attempts: [{ id: 'req-1' }] }])
  })
})
