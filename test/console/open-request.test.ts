// @module-tag long
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { analyticsPath, ask, event } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

describeInBrowser('a request that stays open', () => {
  test('stays as it was when the simulator is another one, which has another request of its id', async () => {
    const before = await startForTest({ clock: 'real' })
    await ask(before, '/v1/events', { body: event() })
    const page = await browser.open(before, { place: '#/requests/req-1' })
    const copyAsCurl = page.getByRole('button', { name: 'Copy as curl' })
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    expect(await copyAsCurl.isEnabled()).toBe(true)
    await before.close()
    await page.getByRole('alert').getByText('does not answer').waitFor()
    const after = await startForTest({ clock: 'real', port: Number(new URL(before.origin).port) })
    await ask(after, analyticsPath)
    await page.getByText('The journal does not have this request any more').waitFor()
    expect(await page.locator('h2 .path').textContent()).toBe('POST /v1/events')
    expect(await copyAsCurl.isDisabled()).toBe(true)
  })

  test('is not shown in the view of another sandbox, but for a link to its own', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'aaa' } })
    await steer(own, 'PUT', '/sandboxes/bbb', { seed: '2' })
    const page = await browser.open(own, { place: '#/requests/req-1?sandbox=bbb' })
    await page.getByText('It belongs to the sandbox aaa').waitFor()
    expect(await page.getByRole('heading', { name: 'Why' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Show it there' }).click()
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    expect(page.url()).toContain('#/requests/req-1?sandbox=aaa')
    await page.goto(`${own.origin}/__sim/#/requests/req-1?sandbox=*`)
    await page.getByRole('heading', { name: 'Why' }).waitFor()
  })
})
