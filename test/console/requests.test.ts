import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { analyticsPath, ask, event } from '../support/client.ts'
import { postAll } from '../support/pipelined.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator({ clock: 'real' })
const browser = sharedBrowser()

describeInBrowser('the view of the requests', () => {
  test('shows what to do where there are none, and a request as soon as it is answered', async () => {
    const own = await startForTest()
    const page = await browser.open(own)
    const line = await page.locator('.command-line code').textContent()
    expect(line).toContain(`${own.origin}/v1/events`)
    await ask(own, '/v1/events', { body: event() })
    const row = page.getByRole('row', { name: '/v1/events' })
    await row.waitFor()
    expect(await row.textContent()).toMatch(/^12:00:00\.000POST\/v1\/events201contract/)
  })

  test('marks violations at the very property, and a missing one at its place', async () => {
    await ask(sim(), '/v1/events', { body: { eventType: 'x', productId: 'no-uuid' } })
    const page = await browser.open(sim())
    await page.getByRole('link', { name: '/v1/events' }).first().click()
    const lines = page.locator('.json-line.marked.violation')
    await lines.first().waitFor()
    expect(await lines.allTextContents()).toEqual([
      expect.stringMatching(/^productId: "no-uuid".*uuid/),
      expect.stringMatching(/^value: missing.*is required/),
    ])
  })

  test('searches by the words of the journal and by text, and keeps the search in the address', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event() })
    await ask(own, '/v1/events', { body: {} })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await ask(own, analyticsPath, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })
    const page = await browser.open(own, { place: '#/requests?q=status%3A4xx' })
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
      ['"/v1/"', 3],
    ] as const) {
      await field.fill(text)
      await page.getByText(`${count} listed`).waitFor()
      expect(await rows.count(), text).toBe(count)
    }
    expect(decodeURIComponent(page.url())).toContain('q="/v1/"')
    await field.fill('stauts:400')
    await page.getByText('There is no word "stauts:"').waitFor()
    await field.fill('op:createEvnet')
    await page.getByText('createEvent').waitFor()
  })

  test('searches a text through the whole journal, and counts what it does not list', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event(), headers: { 'x-sim-scenario': 'slow;ms=1' } })
    await postAll(
      own.origin,
      '/v1/events',
      Array.from({ length: 1_500 }, () => event()),
    )
    const page = await browser.open(own)
    await page.getByText('300 of 1,501 listed').waitFor()
    await page.getByLabel('Search requests').fill('slow')
    await page.getByText('1 listed', { exact: true }).waitFor()
    expect(await page.locator('tbody tr').getAttribute('data-id')).toBe('req-1')
  })

  test('marks the violations of query, path and headers', async () => {
    const own = await startForTest()
    await ask(own, `${analyticsPath}?period=14d`)
    await ask(own, '/v1/models/no-uuid/analytics')
    const page = await browser.open(own, { place: '#/requests/req-1' })
    const marked = page.locator('.json-line.marked.violation')
    await marked.waitFor()
    expect(await marked.textContent()).toMatch(/^period: "14d".*must be one of/)
    await page.goto(`${own.origin}/__sim/#/requests/req-2`)
    await page.locator('.remark.violation').getByText('path/modelId').waitFor()
  })

  test('takes nothing of a request as HTML', async () => {
    const own = await startForTest()
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    await ask(own, `/v1/${encodeURIComponent(markup)}?q=${encodeURIComponent(markup)}`, {
      headers: { 'x-evil': markup },
    })
    await ask(own, '/v1/events', { body: { ...event(), eventType: markup, [markup]: { [markup]: markup } } })
    const page = await browser.open(own)
    for (const row of await page.locator('td.path a').all()) {
      await row.click()
      await page.locator('.request-detail header').waitFor()
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
      expect(await page.locator('img, .request-detail script').count()).toBe(0)
    }
    expect(await page.title()).toContain('convsim')
  })
})
