// @module-tag long
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

const tokenQuestion = (page: Page) => page.getByRole('dialog', { name: 'This simulator asks for a token' })

describeInBrowser('a dialog of the console', () => {
  test('that asks for the token comes back however often Escape is pressed', async () => {
    const own = await startForTest({ controlToken: 'let me in' })
    const page = await browser.open(own)
    await tokenQuestion(page).waitFor()
    for (let count = 0; count < 4; count += 1) await page.keyboard.press('Escape')
    await page.locator('.banner').getByText('shows nothing without its token').waitFor()
    await tokenQuestion(page).getByLabel('Token').fill('let me in')
    await page.keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('.banner').waitFor({ state: 'detached' })
  })

  test('that asks for the token refuses one that no header can carry, and takes another', async () => {
    const own = await startForTest({ controlToken: 'let me in' })
    const page = await browser.open(own)
    await tokenQuestion(page).getByLabel('Token').fill('пароль€')
    await page.keyboard.press('Enter')
    await tokenQuestion(page).getByText('signs of ASCII').waitFor()
    await tokenQuestion(page).getByLabel('Token').fill('let me in')
    await page.keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('that asks before a deletion has no palette above it, and ends with no when another sandbox is shown', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'one' } })
    const page = await browser.open(own, { place: '#/sandboxes?sandbox=one' })
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
