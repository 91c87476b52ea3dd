// @module-tag long
import { expect } from 'vitest'
import { describeInBrowser, expectAccessible, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, call, event } from '../support/client.ts'
import { putRules } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const send = (sim: TestSimulator, fields: Parameters<typeof event>[0], headers = {}) =>
  call(sim, '/v1/events', { body: event(fields), headers })

describeInBrowser('a link between views', () => {
  test('leads from a retried request to its chain of attempts, and from an attempt to its request', async ({ own }) => {
    await putRules(own, [{ sequence: '503, 503, 201' }])
    for (let attempt = 0; attempt < 3; attempt++) await send(own, { insertId: 'order-1' })
    const page = await browser.open(own, { hash: '#/requests/req-2' })
    await page.getByRole('link', { name: 'Attempt 2 of a retried call' }).click()
    const chain = page.locator('.chain.open')
    await chain.getByText('3 attempts').waitFor()
    expect(page.url()).toContain('#/retries/req-1')
    await expectAccessible(page)
    await chain.getByRole('link', { name: 'Attempt 3' }).click()
    await page.getByRole('region', { name: 'Request req-3' }).getByText('order-1').waitFor()
    await page.getByRole('link', { name: 'Attempt 3 of a retried call' }).waitFor()
    await call(own, analyticsPath, { headers: { 'x-sim-scenario': '200' } })
    await page.evaluate('location.hash = "#/requests/req-4"')
    const other = page.getByRole('region', { name: 'Request req-4' })
    await other.getByText('X-Sim-Scenario: 200').first().waitFor()
    expect(await other.getByRole('link', { name: 'of a retried call' }).count()).toBe(0)
  })

  test('leads to a chain of attempts even if the chain is too old to be listed', async ({ own }) => {
    for (let count = 0; count < 51; count++)
      await send(own, { insertId: `call-${count}`, value: `${count}` }, { 'x-sim-scenario': '503' })
    const page = await browser.open(own, { hash: '#/retries/req-1?all=true' })
    await page.locator('.chain.open').getByText('call-0').waitFor()
    expect(await page.locator('.chain').count()).toBe(51)
    await page.evaluate('location.hash = "#/retries/req-nobody?all=true"')
    await page.getByText('no failed call with the request req-nobody').waitFor()
    await expectAccessible(page)
  })

  test('leads from a quality index to its events, whatever the externalConversationId', async ({ own }) => {
    const ids = ['0B6F4A52-6b0e-4b8e-9f0d-3f1f2d5c7a11', 'a "quoted" \\ id', 'kind:chat', '<b>x</b>']
    for (const externalConversationId of ids)
      await send(own, { externalConversationId, insertId: externalConversationId })
    const page = await browser.open(own, { hash: '#/events' })
    for (const id of ids) {
      await page.locator(`a[title=${JSON.stringify(`List the events for ${id}`)}]`).click()
      await page.getByText('1 listed', { exact: true }).waitFor()
      await page.locator('.event-list a').click()
      await page.locator('.json').getByText(JSON.stringify(id)).first().waitFor()
      await page.evaluate('location.hash = "#/events"')
      await page.getByText(`${ids.length} listed`, { exact: true }).waitFor()
    }
  })

  test('leads from each product or conversation under “Effect of events” to its events', async ({ own }) => {
    const productId = '00000000-0000-4000-9000-000000000001'
    await send(own, { productId, externalConversationId: 'chat-1', influence: 'positive' })
    await send(own, { productId, externalConversationId: 'chat-2', influence: 'positive' })
    await send(own, { externalConversationId: 'chat-1', influence: 'positive' })
    for (const [link, count] of [
      ['Web Shop', 2],
      ['chat-1', 2],
      ['chat-2', 1],
    ] as const) {
      const page = await browser.open(own, { hash: '#/data/00000000-0000-4000-8000-000000000001' })
      await page.locator('.event-effects').getByRole('link', { name: link, exact: true }).click()
      await page.getByText(`${count} listed`, { exact: true }).waitFor()
    }
  })
})
