// @module-tag long
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { postAll } from '../support/pipelined.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const postEvents = (sim: TestSimulator, count: number, fields = {}) =>
  postAll(
    sim.origin,
    '/v1/events',
    Array.from({ length: count }, () => event(fields)),
  )

const openRow = (page: Page) => page.locator('tr.open')

describeInBrowser('a full list of requests', () => {
  test('holds the row of the open request, and shows what has come meanwhile on demand', async () => {
    const own = await startForTest()
    await postEvents(own, 310)
    const page = await browser.open(own)
    await page.getByText('300 of 310 listed').waitFor()
    await page.locator('tr[data-id=req-30] a').click()
    await page.getByRole('region', { name: 'Request req-30' }).waitFor()
    const before = await openRow(page).boundingBox()
    for (let count = 0; count < 40; count += 1) await ask(own, '/v1/events', { body: event() })
    await page.getByRole('button', { name: '↑ 40 new' }).waitFor()
    expect(await openRow(page).boundingBox()).toEqual(before)
    await page.keyboard.press('j')
    await page.getByRole('region', { name: 'Request req-29' }).waitFor()
    await page.getByRole('button', { name: '↑ 40 new' }).click()
    await page.locator('tr[data-id=req-350]').waitFor()
    expect(await page.locator('tbody tr').first().getAttribute('data-id')).toBe('req-350')
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  })

  test('says of a text that there are more than it has searched for', async () => {
    const own = await startForTest()
    await postEvents(own, 1_200)
    const page = await browser.open(own, { place: '#/requests?q=createEvent' })
    await page.getByText('300 listed, there are more').waitFor()
  })
})
