// @module-tag long
import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { postAll } from '../support/pipelined.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

describeInBrowser('the list of requests', () => {
  test('does not move or close the open request when others come', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event({ insertId: 'first' }) })
    const page = await browser.open(own)
    await page.locator('td.path a').click()
    const detail = page.getByRole('region', { name: 'Request req-1' })
    await detail.getByText('first').waitFor()
    const open = page.locator('tr.open')
    const before = await open.boundingBox()
    for (let count = 0; count < 40; count++) await ask(own, '/v1/events', { body: event() })
    await page.getByRole('button', { name: '↑ 40 new' }).waitFor()
    expect(await open.boundingBox()).toEqual(before)
    expect(await detail.getByText('first').isVisible()).toBe(true)
    await page.getByRole('button', { name: '↑ 40 new' }).click()
    expect(await page.locator('tbody tr').first().isVisible()).toBe(true)
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  })

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
    const own = await startForTest()
    const page = await browser.open(own)
    await page.getByText('Live', { exact: true }).waitFor()
    await postAll(
      own.origin,
      '/v1/events',
      Array.from({ length: 2_000 }, () => event()),
    )
    await page.getByText('300 of 2,000 listed').waitFor()
    await page.locator('tr[data-id="req-2000"]').waitFor()
  })

  test('is walked by the keys', async () => {
    const own = await startForTest()
    for (const insertId of ['a', 'b', 'c']) await ask(own, '/v1/events', { body: event({ insertId }) })
    const page = await browser.open(own)
    await page.getByText('3 listed').waitFor()
    const steps = [
      ['j', 'req-3'],
      ['j', 'req-2'],
      ['k', 'req-3'],
      ['Escape', undefined],
    ] as const
    for (const [key, id] of steps) {
      await page.keyboard.press(key)
      expect(await page.locator('tr.open').count()).toBe(id === undefined ? 0 : 1)
      if (id !== undefined) expect(await page.locator('tr.open').getAttribute('data-id')).toBe(id)
    }
    await page.keyboard.press('/')
    await page.keyboard.type('req-1')
    await page.getByText('1 listed').waitFor()
  })

  test('shows all sandboxes with their names', async () => {
    const own = await startForTest()
    for (const name of ['worker-1', 'worker-2'])
      await ask(own, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': name } })
    const page = await browser.open(own, { place: '#/requests?sandbox=*' })
    await page.getByText('2 listed').waitFor()
    expect(await page.locator('td.sandbox').allTextContents()).toEqual(['worker-2', 'worker-1'])
  })
})
