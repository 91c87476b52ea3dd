// @module-tag long
import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { postAll } from '../support/pipelined.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const postEvents = (sim: TestSimulator, count: number) =>
  postAll(
    sim.origin,
    '/v1/events',
    Array.from({ length: count }, () => event()),
  )

describeInBrowser('the list of requests', () => {
  test('pauses, counts what comes meanwhile, and then shows it', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('1 listed').waitFor()
    await page.keyboard.press('p')
    await ask(own, '/v1/events', { body: event() })
    await page.getByText('Paused; 1 more have come.').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('2 listed').waitFor()
  })

  test('stays as it is when it is paused, also if it was being read', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('1 listed').waitFor()
    const reading = new Promise<Route>((resolve) => void page.route(/\/__sim\/requests\?/, resolve, { times: 1 }))
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('op:createEvent')
    const route = await reading
    await page.getByRole('button', { name: 'Pause' }).click()
    await ask(own, '/v1/events', { body: event() })
    await page.getByText('Paused; 1 more have come.').waitFor()
    const answered = page.waitForResponse(route.request().url())
    await route.continue()
    await (await answered).finished()
    await page.waitForTimeout(100)
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  test('lists the newest of what comes faster than it can be read', async () => {
    const { own, page } = await browser.openNew()
    await page.getByText('Live', { exact: true }).waitFor()
    await postEvents(own, 2_000)
    await page.getByText('300 of 2,000 listed').waitFor()
    await page.locator('tr[data-id="req-2000"]').waitFor()
  })

  test('shows all sandboxes with their names', async () => {
    const own = await startForTest()
    for (const name of ['worker-1', 'worker-2'])
      await ask(own, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': name } })
    const page = await browser.open(own, { place: '#/requests?sandbox=*' })
    await page.getByText('2 listed').waitFor()
    expect(await page.locator('td.sandbox').allTextContents()).toEqual(['worker-2', 'worker-1'])
  })

  test('holds the row of the open request, and shows what has come meanwhile on demand', async () => {
    const own = await startForTest()
    await postEvents(own, 310)
    const page = await browser.open(own)
    await page.getByText('300 of 310 listed').waitFor()
    await page.locator('tr[data-id=req-30] a').click()
    await page.getByRole('region', { name: 'Request req-30' }).waitFor()
    const before = await page.locator('tr.open').boundingBox()
    for (let count = 0; count < 40; count += 1) await ask(own, '/v1/events', { body: event() })
    await page.getByRole('button', { name: '↑ 40 new' }).waitFor()
    expect(await page.locator('tr.open').boundingBox()).toEqual(before)
    await page.keyboard.press('j')
    await page.getByRole('region', { name: 'Request req-29' }).waitFor()
    await page.getByRole('button', { name: '↑ 40 new' }).click()
    await page.locator('tr[data-id=req-350]').waitFor()
    expect(await page.locator('tbody tr').first().getAttribute('data-id')).toBe('req-350')
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  })
})
