// @module-tag long
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { click, describeInBrowser, setHidden, sharedBrowser, test, textsOf } from '../support/browser.ts'
import { analyticsPath, call, event, modelId, prompt } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { postAll } from '../support/pipelined.ts'
import type { TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const postEvents = ({ origin }: TestSimulator, count: number) =>
  postAll(origin, '/v1/events', Array(count).fill(event()))

describeInBrowser('the requests view', () => {
  test('shows each request, what caused its response, and its sandbox if all sandboxes are shown', async ({ own }) => {
    await putRules(own, [{ operation: 'createPrompt', scenario: 'unavailable' }])
    await call(own, '/v1/prompts', { body: prompt({ name: 'Greeting' }) })
    const model = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'
    await call(own, model, { headers: { 'x-sim-scenario': 'rate-limited' } })
    await call(own, model)
    const page = await browser.open(own)
    const rows = page.locator('tbody tr')
    await rows.getByText('Greeting').waitFor()
    await rows.getByText('Checkout Assistant').first().waitFor()
    const analytics = 'GET /v1/models/00000000…0001/analytics'
    expect(await textsOf(page, 'td.path')).toEqual([analytics, analytics, 'POST /v1/prompts'])
    expect(await textsOf(page, 'td.subject')).toEqual(['Checkout Assistant', 'Checkout Assistant', 'Greeting'])
    expect(await rows.locator('td.cause').allTextContents()).toEqual(['', 'rate-limited', 'rule 1: unavailable'])
    await call(own, model, { headers: { 'x-sim-sandbox': 'worker-1' } })
    await page.getByLabel('Sandbox').selectOption('*')
    await page.getByText('4 listed').waitFor()
    expect(await textsOf(page, 'td.sandbox')).toEqual(['worker-1', 'default', 'default', 'default'])
  })

  test('names the cause of each refusal', async ({ own }) => {
    await call(own, '/v1/events', { body: {} })
    await call(own, analyticsPath, { token: null })
    await call(own, analyticsPath, { token: 'key_free' })
    await call(own, '/v1/modles')
    await call(own, analyticsPath, { headers: { 'x-sim-scenario': 'nope' } })
    const page = await browser.open(own)
    const causes = ['control header', 'unknown path or method', 'plan free', 'no key', 'contract']
    await expect.poll(() => textsOf(page, 'td.cause')).toEqual(causes)
    await page.getByRole('button', { name: /^3 violations: .*body \/value: is required/s }).focus()
    const overflow = "getComputedStyle(document.querySelector('.marks:has(:focus)')).overflow"
    expect(await page.evaluate(overflow)).toBe('visible') // any other value would clip the tooltip
  })

  test('summarizes requests and active rules, switches rules off, and saves reports and HAR files', async ({ own }) => {
    await putRules(own, [
      { operation: 'createPrompt', scenario: 'rate-limited' },
      { scenario: 'slow', enabled: false },
    ])
    await call(own, '/v1/events', { body: {} })
    const page = await browser.open(own)
    const summary = /^1 request.*3 violations.*1 active rule:rate-limited Switch off/
    await expect.poll(() => page.locator('.summary').textContent()).toMatch(summary)
    await page.getByText(`${own.origin}/v1`).waitFor()
    await page.getByRole('button', { name: 'Switch off rule 1: rate-limited' }).click()
    await page.locator('.summary').getByText('active rule').waitFor({ state: 'detached' })
    expect(await callControl(own, 'GET', '/scenarios')).toMatchObject({
      rules: [{ enabled: false }, { enabled: false }],
    })
    for (const [name, file] of [
      ['JSON', 'default.report.json'],
      ['JUnit', 'default.report.xml'],
      ['HAR', 'default.har'],
    ] as const) {
      const saved = page.waitForEvent('download')
      await page.locator('.summary').getByText(name, { exact: true }).click()
      expect((await saved).suggestedFilename()).toBe(file)
    }
  })

  test('says how a delivery broke instead of showing a status that the client did not receive', async ({ own }) => {
    for (const scenario of ['reset', 'empty-response', 'truncated', 'hang', 'slow;ms=5000', 'lost-ack']) {
      const headers = { authorization: 'Bearer k', 'content-type': 'application/json', 'x-sim-scenario': scenario }
      const signal = AbortSignal.timeout(2_000) // ends the hang and the long wait
      const send = fetch(`${own.origin}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event()), signal })
      await send.then((response) => response.text()).catch(() => undefined)
    }
    const page = await browser.open(own)
    const words = ['reset', 'gave up', 'hung', 'cut off', 'no response', 'reset']
    await expect.poll(() => textsOf(page, 'td.code')).toEqual(words)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill('open req-4')
    await page.getByRole('option', { name: /POST \/v1\/events hung$/ }).waitFor()
  })

  test('marks retry problems and can filter by them', async ({ own }) => {
    await call(own, analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited;retry-after=60' } })
    await call(own, analyticsPath, { headers: { 'retry-attempt': '1' } })
    await call(own, '/v1/prompts', { body: prompt() })
    const page = await browser.open(own)
    await page.locator('tr[data-id=req-2]').getByText('retry problems').waitFor()
    await page.getByRole('button', { name: '1 retry problem', exact: true }).click()
    await page.getByText('1 listed').waitFor()
    expect(page.url()).toContain('has%3Aretry')
    const colors = await page.evaluate<string[]>(
      `Array.from(document.querySelectorAll('.request-filters button'), (one) => getComputedStyle(one).color)`,
    )
    expect(new Set(colors).size, 'a pressed filter has a different color').toBe(2)
    await page.locator('tr[data-id=req-2] a').click()
    const early = /^Retry problem: A 429 asked for a wait of 60 s, .* sooner. The client waited [\d,]+ ms.$/
    await page.getByText(early).waitFor()
    await page.getByRole('link', { name: 'Attempt 2 of a retried call' }).waitFor()
    await page.getByRole('button', { name: '1 retry problem', exact: true }).click()
    await page.getByText('3 listed').waitFor()
  })

  test('clears the list after confirmation, and shows a message if the sandbox in the URL does not exist', async ({
    own,
  }) => {
    await call(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('1 listed').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
    await page.getByText('No requests yet').waitFor()
    expect(await callControl(own, 'GET', '/requests')).toMatchObject({ requests: [] })
    await page.goto(`${own.origin}/__sim/#/requests?sandbox=deleted`)
    await page
      .getByText('Sandbox deleted does not exist: it was deleted or evicted, or has not been used yet.')
      .waitFor()
  })

  test('marks violations in the query, the path and body fields, including missing fields', async ({ own }) => {
    await call(own, '/v1/events', { body: { eventType: 'x', productId: 'no-uuid' } })
    await call(own, `${analyticsPath}?period=14d`)
    await call(own, '/v1/models/no-uuid/analytics')
    const page = await browser.open(own, { hash: '#/requests/req-1' })
    const marked = page.locator('.json-line.marked.violation')
    await marked.first().waitFor()
    expect(await marked.allTextContents()).toEqual([
      expect.stringMatching(/^productId: "no-uuid".*uuid/),
      expect.stringMatching(/^value: missing.*is required/),
    ])
    await page.locator('tr[data-id=req-2] a').click()
    await marked.getByText(/^period: "14d".*must be one of/).waitFor()
    await page.locator('tr[data-id=req-3] a').click()
    await page.locator('.remark.violation').getByText('path/modelId').waitFor()
  })

  test('searches by keyword and by text, and keeps the search in the URL', async ({ own }) => {
    await call(own, '/v1/events', { body: event({ properties: { order: 'Deep-Inside' } }) })
    await call(own, '/v1/events', { body: {} })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await call(own, analyticsPath, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })
    const page = await browser.open(own, { hash: '#/requests?q=status%3A4xx' })
    const rows = page.locator('tbody tr')
    await page.getByText('1 listed').waitFor()
    expect(await rows.allTextContents()).toEqual([expect.stringContaining('400')])
    const field = page.getByLabel('Search requests')
    for (const [text, count] of [
      ['op:getModelAnalytics', 1],
      [`trace:${traceId}`, 1],
      [`-trace:${traceId}`, 2],
      ['has:violation', 1],
      ['-has:violation', 2],
      ['status:4xx status:200', 2],
      ['models', 1],
      ['400', 1],
      ['2xx', 2],
      ['4', 1],
      ['"400"', 1],
      [modelId, 1],
      ['deep-inside', 1],
      ['"/v1/"', 3],
    ] as const) {
      await field.fill(text)
      await page.getByText(`${count} listed`).waitFor()
      await expect.poll(() => rows.count(), { message: text }).toBe(count)
    }
    expect(decodeURIComponent(page.url())).toContain('q="/v1/"')
    await field.fill('stauts:400')
    await page.getByText('Unknown keyword "stauts:"').waitFor()
    await field.fill('op:createEvnet')
    await page.getByText('createEvent').waitFor()
  })

  test('has buttons that add terms to the search or remove them, without changing other terms', async ({ own }) => {
    const page = await browser.open(own)
    for (const [text, button, isPressed, changed] of [
      ['Has:Advice op:createEvent', '0 pieces of advice', true, 'op:createEvent'],
      ['-has:advice  "a  b"', '0 pieces of advice', false, '-has:advice "a  b" has:advice'],
      ['"not has:advice here"', '0 pieces of advice', false, '"not has:advice here" has:advice'],
      ['status:5xx method:get Status:4xx', 'Refused', true, 'method:get'],
      ['status:4xx', 'Refused', false, 'status:4xx status:5xx'],
    ] as const) {
      await page.goto(`${own.origin}/__sim/#/requests?q=${encodeURIComponent(text)}`)
      await page.locator(`button[aria-pressed=${isPressed}]`, { hasText: button }).waitFor()
      await click(page, button)
      await expect.poll(() => page.getByRole('searchbox').inputValue(), { message: text }).toBe(changed)
    }
  })
})

describeInBrowser('the list of requests', () => {
  test('does not change while paused, even if it was loading, and shows new requests when resumed', async ({ own }) => {
    await call(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('1 listed').waitFor()
    const heldRoute = new Promise<Route>((resolve) => void page.route(/\/__sim\/requests\?/, resolve, { times: 1 }))
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('op:createEvent')
    const route = await heldRoute
    await page.keyboard.press('Escape') // leaves the field
    await page.keyboard.press('p')
    await call(own, '/v1/events', { body: event() })
    await page.getByText('Paused; new requests: 1.').waitFor()
    const response = page.waitForResponse(route.request().url())
    await route.continue()
    await (await response).finished()
    await page.waitForTimeout(100)
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('2 listed').waitFor()
  })

  test('shows the newest of many simultaneous requests, and finds text in the whole journal', async () => {
    const { own, page } = await browser.openNew()
    await page.getByText('Live', { exact: true }).waitFor()
    await call(own, '/v1/events', { body: event(), headers: { 'x-sim-scenario': 'slow;ms=1' } })
    await postEvents(own, 2_000)
    await page.getByText('300 of 2,001 listed').waitFor()
    await page.locator('tr[data-id="req-2001"]').waitFor()
    await page.getByLabel('Search requests').fill('slow')
    await page.getByText('1 listed', { exact: true }).waitFor()
    expect(await page.locator('tbody tr').getAttribute('data-id')).toBe('req-1')
  })

  test('keeps the row of the open request in place, and shows later requests on demand', async ({ own }) => {
    await postEvents(own, 310)
    const page = await browser.open(own)
    await page.getByText('300 of 310 listed').waitFor()
    await page.locator('tr[data-id=req-30] a').click()
    await page.getByRole('region', { name: 'Request req-30' }).waitFor()
    const before = await page.locator('tr.open').boundingBox()
    for (let count = 0; count < 40; count += 1) await call(own, '/v1/events', { body: event() })
    await page.getByRole('button', { name: '↑ 40 new' }).waitFor()
    expect(await page.locator('tr.open').boundingBox()).toEqual(before)
    // A page that becomes visible reloads its list.
    await setHidden(page, false)
    await page.getByText('350 listed', { exact: true }).waitFor()
    expect(await page.locator('tr.open').boundingBox()).toEqual(before)
    await page.keyboard.press('j')
    await page.getByRole('region', { name: 'Request req-29' }).waitFor()
    await page.getByRole('button', { name: '↑ 40 new' }).click()
    await page.locator('tr[data-id=req-350]').waitFor()
    expect(await page.locator('tbody tr').first().getAttribute('data-id')).toBe('req-350')
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  })
})
