// @module-tag long
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { call, event, prompt } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()
const browser = sharedBrowser()

/** Returns the listed keyboard shortcuts, each with its description. */
async function readShortcuts(page: Page): Promise<ReadonlyMap<string, string>> {
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  const keys = await dialog.locator('dt').allInnerTexts()
  const descriptions = await dialog.locator('dd').allInnerTexts()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return new Map(keys.map((key, index) => [key.trim(), descriptions[index] ?? '']))
}

const readOpenEntry = (page: Page) => page.locator('main [aria-current]').first().textContent()

describeInBrowser('the keyboard shortcuts for a list', () => {
  test.each([
    { view: 'requests', noun: 'request', enterTitle: 'Focus the open request' },
    { view: 'retries', noun: 'call', enterTitle: 'Open the latest request of the call' },
    { view: 'events', noun: 'event', enterTitle: 'Focus the open event' },
    { view: 'prompts', noun: 'prompt', enterTitle: 'Focus the open prompt' },
    { view: 'contract', noun: 'operation', enterTitle: 'Focus the open operation' },
  ])('act on the entries in the $view view as the help says', async ({ view, noun, enterTitle }) => {
    const headers = { 'x-sim-sandbox': view }
    for (const eventType of ['first', 'second', 'third']) {
      await call(sim(), '/v1/events', { body: event({ eventType }), headers })
      await call(sim(), `/v1/models/${eventType}/analytics`, { headers })
      await call(sim(), '/v1/prompts', { body: prompt({ externalPromptId: eventType }), headers })
    }
    const page = await browser.open(sim(), { hash: `#/${view}?all=true&sandbox=${view}` })
    await page.locator('main a').first().waitFor()
    await page.keyboard.press('j')
    await page.locator('main [aria-current]').first().waitFor()
    const first = await readOpenEntry(page)
    await page.keyboard.press('j')
    await expect.poll(() => readOpenEntry(page)).not.toBe(first)
    await page.keyboard.press('k')
    await expect.poll(() => readOpenEntry(page)).toBe(first)
    const keys = await readShortcuts(page)
    expect([keys.get('j'), keys.get('k'), keys.get('Enter')]).toEqual([`Next ${noun}`, `Previous ${noun}`, enterTitle])
    if (view !== 'retries') await page.locator('[data-open]').waitFor() // Enter focuses the open entry
    const isDone = async () => {
      await page.keyboard.press('Enter') // repeated, since a busy machine may still be rendering the page
      if (view === 'retries') return page.getByRole('region', { name: /^Request req-/ }).isVisible()
      return page.evaluate<boolean>('"open" in document.activeElement.dataset')
    }
    await expect.poll(isDone).toBe(true)
  })

  test('do not override Enter on a focused link', async () => {
    await call(sim(), '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'focus' } })
    const page = await browser.open(sim(), { hash: '#/requests?sandbox=focus' })
    await page.locator('td.path a').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('A')
  })
})

describeInBrowser('the keyboard focus', () => {
  test('can skip to the content, and j continues from the focused row', async () => {
    const headers = { 'x-sim-sandbox': 'row' }
    for (let count = 0; count < 3; count += 1) await call(sim(), '/v1/events', { body: event(), headers })
    const page = await browser.open(sim(), { hash: '#/requests?sandbox=row' })
    const links = page.locator('td.path a')
    await links.nth(2).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await links.nth(1).focus()
    await page.keyboard.press('j')
    await expect.poll(() => links.nth(2).getAttribute('aria-current')).toBe('true')
    await expect.poll(() => page.evaluate('document.activeElement.ariaCurrent')).toBe('true')
  })

  test('moves to an open scenario when Enter is pressed, and then into its form when Tab is pressed', async () => {
    const page = await browser.open(sim(), { hash: '#/scenarios' })
    await page.locator('.rule-choice a').first().waitFor()
    await page.keyboard.press('j')
    await page.locator('.rule-choice form').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('"open" in document.activeElement.dataset')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("form") !== null')).toBe(true)
  })

  test.each(['requests', 'events'])('returns to the row of a closed entry (%s); j continues from it', async (view) => {
    const headers = { 'x-sim-sandbox': `back-${view}` }
    for (const eventType of ['first', 'second', 'third'])
      await call(sim(), '/v1/events', { body: event({ eventType }), headers })
    const page = await browser.open(sim(), { hash: `#/${view}?sandbox=back-${view}` })
    const links = page.locator('main tbody a')
    await links.nth(2).waitFor()
    await links.nth(1).click()
    await page.locator('[data-open]').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.locator('[data-open]').focus()
    await page.keyboard.press('Escape')
    const href = await links.nth(1).getAttribute('href')
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("href")')).toBe(href)
    await page.keyboard.press('j')
    await expect.poll(() => links.nth(2).getAttribute('aria-current')).toBe('true')
  })
})
