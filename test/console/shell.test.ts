// @module-tag long
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { freePort } from '../bench/target.ts'
import { describeInBrowser, setHidden, sharedBrowser, test } from '../support/browser.ts'
import { call, event, prompt } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { startForTest, startWatched } from '../support/start.ts'

const browser = sharedBrowser()

describeInBrowser('the console', () => {
  test('shows its header before its script has run, and does not duplicate the header afterward', async () => {
    const page = await browser.open(await startForTest())
    const heldRoute = new Promise<Route>((resolve) => void page.route('**/assets/app-*.js', resolve))
    await page.reload({ waitUntil: 'commit' })
    await page.locator('header .brand').waitFor()
    expect(await page.locator('nav').count()).toBe(0)
    await (await heldRoute).continue()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.locator('header, .brand').count()).toBe(2)
  })

  test('has a palette that switches scenarios on, sets the clock, and opens models and requests', async ({ own }) => {
    await call(own, '/v1/prompts', { body: prompt({ name: 'Greeting' }) })
    const page = await browser.open(own, { hash: '#/contract' })
    await page.getByText('Live', { exact: true }).waitFor()
    const choose = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find a command' }).fill(text)
      await page.locator('[role=option]').first().waitFor()
      await page.keyboard.press('Enter')
    }
    await choose('switch on 429')
    await page.locator('nav .badge').getByText('1', { exact: true }).waitFor()
    expect(await callControl(own, 'GET', '/scenarios')).toMatchObject({
      rules: [{ scenario: 'rate-limited;retry-after=1' }],
    })
    await choose('forward 1 day')
    await page.getByText('2026-01-16 12:00:00').waitFor()
    await choose('theme')
    await expect.poll(() => page.evaluate('document.documentElement.style.colorScheme')).toBe('light')
    await choose('freeze')
    await page.getByText('frozen', { exact: true }).waitFor()
    await choose('model checkout')
    await page.getByRole('heading', { name: 'Checkout Assistant' }).waitFor()
    await choose('open greeting')
    await page.getByRole('region', { name: 'Request req-1' }).waitFor()
    for (const [text, title] of [
      ['clear', 'Clear the requests in the sandbox default?'],
      ['reset', 'Reset the sandbox default?'],
      ['remove', 'Remove all rules?'],
    ] as const) {
      await choose(text)
      await page.getByRole('dialog', { name: title }).getByText('Cancel').click()
    }
    await page.keyboard.press('Control+k')
    for (const word of ['report', 'export', 'snapshot', 'delete']) {
      await page.getByRole('combobox', { name: 'Find a command' }).fill(word)
      await page
        .getByRole('option', { name: new RegExp(word === 'delete' ? 'clear' : word, 'i') })
        .first()
        .waitFor()
    }
  })

  test('says that the simulator is not responding, and reconnects to a new simulator automatically', async () => {
    const port = await freePort()
    const first = await startWatched({ port })
    const page = await browser.open(first)
    await page.getByText('No requests yet').waitFor()
    await first.close()
    await page.getByRole('alert').getByText('is not responding').waitFor()
    const second = await startForTest({ port })
    await call(second, '/v1/events', { body: event() })
    await page.getByRole('row', { name: '/v1/events' }).waitFor()
    // The page requests the list separately from the stream, so the rows may appear before the stream is open again.
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('closes its stream while hidden, and shows the missed requests when visible again', async () => {
    const { own, page } = await browser.openNew()
    await page.getByText('Live', { exact: true }).waitFor()
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/requests/stream'))
    await setHidden(page, true)
    await closed
    await call(own, '/v1/events', { body: event() })
    await setHidden(page, false)
    await page.getByRole('row', { name: '/v1/events' }).waitFor()
  })

  test('asks for the control plane’s token, even after Escape, until the user enters a valid token', async () => {
    const { page } = await browser.openNew('', { controlToken: 'let me in' })
    const dialog = page.getByRole('dialog', { name: 'This simulator requires a token' })
    const enter = async (token: string) => {
      await dialog.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
    }
    await dialog.waitFor()
    for (let count = 0; count < 4; count += 1) await page.keyboard.press('Escape')
    await page.locator('.banner').getByText('requires its token').waitFor()
    expect(await page.getByText('No requests yet').count()).toBe(0)
    await enter('wrong')
    await dialog.getByText('The token was refused').waitFor()
    await enter('пароль€')
    await dialog.getByText('printable ASCII').waitFor()
    await enter('let me in')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('.banner').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await dialog.count()).toBe(0)
  })

  test('does not open the palette over a confirmation, which closes when another sandbox is shown', async ({ own }) => {
    await call(own, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'one' } })
    const page = await browser.open(own, { hash: '#/sandboxes?sandbox=one' })
    await page.getByRole('button', { name: 'Delete' }).first().click()
    const question = page.getByRole('dialog', { name: /one/ })
    await question.waitFor()
    await page.keyboard.press('Control+k')
    expect(await page.getByRole('combobox', { name: 'Find a command' }).count()).toBe(0)
    await page.evaluate('location.hash = "#/sandboxes?sandbox=two"')
    await question.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor()
  })
})
