// @module-tag long
import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { listAccessibilityFindings } from '../support/axe.ts'
import { describeInBrowser, setHidden, sharedBrowser } from '../support/browser.ts'
import { analyticsPath, ask, event, prompt } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, startWatched } from '../support/start.ts'

const sim = sharedSimulator({ clock: 'real' })
const browser = sharedBrowser()

/** Returns the views of the navigation by their links. */
async function listViews(page: Page): Promise<{ title: string; href: string }[]> {
  return page.evaluate<{ title: string; href: string }[]>(
    '[...document.querySelectorAll("nav a")].map((link) => ({ title: link.textContent, href: link.getAttribute("href") }))',
  )
}

describeInBrowser('the console', () => {
  beforeAll(async () => {
    await ask(sim(), '/v1/events', { body: event() })
    await ask(sim(), '/v1/events', { body: { eventType: 5 } })
    await ask(sim(), analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } })
    await ask(sim(), '/v1/prompts', { body: { name: 'Greeting', components: [{ content: 'Hello {{name}}' }] } })
  })

  test('opens from the root, at the first view', async () => {
    const page = await browser.open(sim())
    await page.goto(`${sim().origin}/`)
    await page.getByRole('link', { name: 'Requests', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/__sim/')
    expect(await page.title()).toBe('Requests · convsim')
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('shows its head before its script has run, which takes that over', async () => {
    const page = await browser.open(sim())
    const held = new Promise<Route>((resolve) => void page.route('**/assets/app-*.js', resolve))
    await page.reload({ waitUntil: 'commit' })
    await page.locator('header .brand').waitFor()
    expect(await page.locator('nav').count()).toBe(0)
    await (await held).continue()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.locator('header, .brand').count()).toBe(2)
  })

  test.each([
    { width: 390, colorScheme: 'light' },
    { width: 1024, colorScheme: 'dark' },
    { width: 1600, colorScheme: 'light' },
    { width: 1600, colorScheme: 'dark' },
  ] as const)('has no view with an accessibility finding or wider than $width px in $colorScheme', async (look) => {
    const page = await browser.open(sim(), look)
    await page.getByText('Live', { exact: true }).waitFor()
    for (const { title, href } of await listViews(page)) {
      await page.goto(`${sim().origin}/__sim/${href}`)
      await page.locator('.loading').waitFor({ state: 'detached' })
      expect(await listAccessibilityFindings(page), title).toEqual([])
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, title).toBeLessThanOrEqual(look.width)
    }
  })

  test('lists its keys, and finds commands in the palette', async () => {
    const page = await browser.open(sim())
    await page.getByText('Live', { exact: true }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Next request').waitFor()
    expect(await listAccessibilityFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill('all sandb')
    expect(await listAccessibilityFindings(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/sandbox=\*|sandbox=%2A/)
  })

  test('switches scenarios on, moves the clock and opens things by the palette, in every view', async () => {
    const own = await startForTest()
    await ask(own, '/v1/prompts', { body: prompt({ name: 'Greeting' }) })
    const page = await browser.open(own, { place: '#/contract' })
    await page.getByText('Live', { exact: true }).waitFor()
    const choose = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find a command' }).fill(text)
      await page.locator('[role=option]').first().waitFor()
      await page.keyboard.press('Enter')
    }
    await choose('switch on 429')
    await page.locator('nav .badge').getByText('1', { exact: true }).waitFor()
    expect(await steer(own, 'GET', '/scenarios')).toMatchObject({ rules: [{ scenario: 'rate-limited;retry-after=1' }] })
    await choose('forward 1 day')
    await page.getByText('2026-01-16 12:00:00').waitFor()
    await choose('freeze')
    await page.getByText('frozen', { exact: true }).waitFor()
    await choose('model checkout')
    await page.getByRole('heading', { name: 'Checkout Assistant' }).waitFor()
    await choose('open greeting')
    await page.getByRole('region', { name: 'Request req-1' }).waitFor()
    await choose('clear')
    await page.getByRole('dialog', { name: 'Clear the requests of the sandbox default?' }).waitFor()
  })

  test('shows nothing of one sandbox in another', async () => {
    await ask(sim(), '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'worker-1' } })
    const page = await browser.open(sim(), { place: '#/requests?sandbox=worker-1' })
    await page.getByRole('row', { name: '/v1/events' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByLabel('Sandbox').selectOption('default')
    await page.getByRole('row', { name: '/v1/prompts' }).waitFor()
    expect(page.url()).not.toContain('worker-1')
  })

  test('asks for the token of the control plane once, and says when it was wrong', async () => {
    const own = await startForTest({ controlToken: 'let me in' })
    const page = await browser.open(own)
    const dialog = page.getByRole('dialog', { name: 'This simulator asks for a token' })
    await dialog.getByLabel('Token').fill('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('The token was refused').waitFor()
    await dialog.getByLabel('Token').fill('let me in')
    await page.keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await dialog.count()).toBe(0)
  })

  test('says that the simulator is gone, and shows the new one by itself', async () => {
    const first = await startWatched()
    const page = await browser.open(first)
    await page.getByText('No requests yet').waitFor()
    await first.close()
    await page.getByRole('alert').getByText('does not answer').waitFor()
    const second = await startForTest({ port: Number(new URL(first.origin).port) })
    await ask(second, '/v1/events', { body: event() })
    await page.getByRole('row', { name: '/v1/events' }).waitFor()
    // The list is read apart from the stream, so its rows may come before the stream is open again.
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('closes its stream while it is hidden, and then shows what it has missed', async () => {
    const own = await startForTest()
    const page = await browser.open(own)
    await page.getByText('Live', { exact: true }).waitFor()
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/requests/stream'))
    await setHidden(page, true)
    await closed
    await ask(own, '/v1/events', { body: event() })
    await setHidden(page, false)
    await page.getByRole('row', { name: '/v1/events' }).waitFor()
  })

  test('follows the clock of the sandbox', async () => {
    await steer(sim(), 'PUT', '/clock?sandbox=frozen', { mode: 'frozen', now: '2026-03-04T05:06:07Z' })
    const page = await browser.open(sim(), { place: '#/requests?sandbox=frozen' })
    await page.getByText('2026-03-04 05:06:07').waitFor()
  })
})
