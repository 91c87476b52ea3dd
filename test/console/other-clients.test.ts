// @module-tag long
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event, textOf } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

/** Milliseconds after which the page has looked for changes of the sandbox. */
const lookMs = 6_000

/** Opens a place on a page whose time the test can move. */
async function openAt(sim: TestSimulator, place: string): Promise<Page> {
  const page = await browser.open(sim, { place })
  await page.clock.install()
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  // The page has then read the sandboxes once, so that it can tell a change.
  await page.clock.runFor(lookMs)
  return page
}

/** Lets time pass until the page shows a text, or no longer shows it. */
async function runUntilShown(page: Page, text: string, isExpected = true): Promise<void> {
  const isShown = async () => {
    await page.clock.runFor(lookMs)
    return page.getByText(text).first().isVisible()
  }
  await expect.poll(isShown, { timeout: 20_000 }).toBe(isExpected)
}

describeInBrowser('the console follows another client', () => {
  test('that resets the sandbox: the list has no request that the journal has not', async () => {
    const own = await startForTest()
    for (let count = 0; count < 4; count += 1) await ask(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('4 listed').waitFor()
    await steer(own, 'POST', '/reset')
    await page.getByText('No requests yet').waitFor()
    await ask(own, '/v1/events', { body: event() })
    await page.getByText('1 listed').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  test('that puts rules, in the reasons for an answer', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event() })
    const page = await openAt(own, '#/requests/req-1')
    await page.getByText('The simulator would answer it the same way now.').waitFor()
    await putRules(own, [{ scenario: 'server-error' }])
    await runUntilShown(page, 'Sent now, it would be answered')
  })

  test('that restores a snapshot, in the events and the prompts', async () => {
    const own = await startForTest()
    const taken = await ask(own, '/__sim/snapshots', { method: 'POST', token: null })
    await ask(own, '/v1/events', { body: event({ eventType: 'signup' }) })
    const page = await openAt(own, '#/events')
    await page.getByText('1 listed').waitFor()
    await steer(own, 'POST', `/snapshots/${textOf(taken, 'snapshotId')}/restore`)
    await runUntilShown(page, 'No events yet')
  })
})
