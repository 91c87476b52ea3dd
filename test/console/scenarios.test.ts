// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { describeInBrowser, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, ask, event } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

/** Opens the view at a scenario of the catalogue. */
const openAt = (sim: TestSimulator, place = '') => browser.open(sim, { place: `#/scenarios${place}` })

const rulesOf = (page: Page) => page.getByRole('region', { name: 'Rules' }).locator('.rule')

const switchOn = (page: Page) => page.getByRole('button', { name: 'Switch on', exact: true }).click()

/** Returns the statuses of events that a client sends one after another. */
async function sendEvents(sim: TestSimulator, count: number, body: JsonObject = {}): Promise<number[]> {
  const statuses: number[] = []
  for (let sent = 0; sent < count; sent++) statuses.push((await ask(sim, '/v1/events', { body: event(body) })).status)
  return statuses
}

describeInBrowser('the view of the scenarios', () => {
  test('lists the whole catalogue with its sentences, and finds scenarios by words', async ({ own }) => {
    const { scenarios } = (await steer(own, 'GET', '/catalogue')) as { scenarios: { name: string; about: string }[] }
    const listed = scenarios.filter(({ about }) => !about.includes(', as "'))
    const page = await openAt(own)
    const offers = page.locator('.offer')
    await offers.first().waitFor()
    expect(await offers.count()).toBe(listed.length + 2)
    for (const { about } of listed)
      expect(await page.locator('.offer span').getByText(about, { exact: true }).count(), about).toBe(1)
    const refusals = page.getByRole('region', { name: 'refusals' })
    expect(await refusals.locator('a').allTextContents()).toContainEqual(expect.stringMatching(/^rate-limited 429A/))
    expect(await refusals.getByText('200').count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.type('connection RESET')
    await page.locator('.offer').getByText('lost-ack').waitFor()
    expect(await offers.count()).toBeLessThan(5)
    expect(page.url()).toContain('q=connection+RESET')
    await page.getByLabel('Search scenarios').fill('nothing has this')
    await page.getByText('No scenario has these words.').waitFor()
  })

  test('switches on a scenario with parameters for some requests, and counts what it does', async ({ own }) => {
    const page = await openAt(own)
    await page.locator('.offer').getByText('rate-limited', { exact: true }).click()
    await page.getByText('The client sees: Status 429').waitFor()
    await page.getByLabel('retry-after').fill('7')
    await page.getByLabel('operation').selectOption('createEvent')
    await page.getByRole('button', { name: 'Add a condition: event type' }).click()
    await page.getByLabel('Value of the body field /eventType').fill('refund')
    await page.getByLabel('times').fill('2')
    await switchOn(page)
    const rule = rulesOf(page)
    await rule.getByText('rate-limited;retry-after=7', { exact: true }).waitFor()
    await rule.getByText('createEvent · body /eventType is "refund" · 2 times').waitFor()
    expect(await sendEvents(own, 1)).toEqual([201])
    const refused = await ask(own, '/v1/events', { body: event({ eventType: 'refund' }) })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    await rule.getByText('acted 1, 1 left').waitFor()
    await sendEvents(own, 2, { eventType: 'refund' })
    await rule.getByText('acted 2, used up').waitFor()
    await page.getByRole('button', { name: 'Count again' }).click()
    await rule.getByText('acted 0, 2 left').waitFor()
    expect(await sendEvents(own, 3, { eventType: 'refund' })).toEqual([429, 429, 201])
  })

  test('puts each new rule first, and switches, moves and removes rules', async ({ own }) => {
    const page = await openAt(own, '/unavailable')
    await switchOn(page)
    await rulesOf(page).first().waitFor()
    await page.goto(`${own.origin}/__sim/#/scenarios/server-error`)
    await switchOn(page)
    await page.getByRole('button', { name: 'Remove rule 2' }).waitFor()
    expect(await rulesOf(page).locator('code').allTextContents()).toEqual(['server-error', 'unavailable'])
    expect(await sendEvents(own, 1)).toEqual([500])
    await page.getByRole('switch', { name: 'Switch rule 1' }).click()
    await rulesOf(page).getByText('off').waitFor()
    expect(await sendEvents(own, 1)).toEqual([503])
    await page.getByRole('switch', { name: 'Switch rule 1' }).click()
    await rulesOf(page).getByText('off').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Move rule 2 up' }).click()
    await rulesOf(page).first().getByText('unavailable', { exact: true }).waitFor()
    await page.locator('#move-1:focus').waitFor()
    expect(await sendEvents(own, 1)).toEqual([503])
    await page.getByRole('button', { name: 'Remove rule 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await rulesOf(page).nth(1).waitFor({ state: 'detached' })
    expect(await sendEvents(own, 1)).toEqual([500])
    await page.getByRole('button', { name: 'Remove all' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove all rules?' })
    await dialog.getByText('rule 1: server-error').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor()
    expect(await sendEvents(own, 1)).toEqual([201])
  })

  test('makes changes one after another that come faster than the responses', async ({ own }) => {
    await putRules(
      own,
      ['server-error', 'unavailable', 'rate-limited'].map((scenario) => ({ scenario })),
    )
    const page = await openAt(own)
    await rulesOf(page).nth(2).waitFor()
    await page.evaluate('for (const one of document.querySelectorAll("[role=switch]")) one.click()')
    await page.locator('.rule.off').nth(2).waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
    expect(await sendEvents(own, 1)).toEqual([201])
  })

  test('copies the header that does the same, for a form and for a rule', async ({ own }) => {
    await putRules(own, [{ operation: 'createEvent', sequence: '429*2, 200' }])
    const page = await openAt(own, '/slow')
    await page.getByLabel('ms', { exact: false }).first().fill('20')
    await page.getByLabel('distribution').selectOption('uniform')
    await page.getByRole('button', { name: 'Copy the header' }).click()
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    expect(await copied()).toBe('X-Sim-Scenario: slow;ms=20;distribution=uniform')
    const [, value = ''] = (await copied()).split(': ')
    expect((await ask(own, analyticsPath, { headers: { 'x-sim-scenario': value } })).status).toBe(200)
    await page.getByRole('button', { name: 'Copy header of rule 1' }).click()
    expect(await copied()).toBe('X-Sim-Sequence: 429*2, 200')
  })

  test('shows where sequences stand, of rules and of headers', async ({ own }) => {
    const page = await openAt(own, '/sequence')
    await page.getByLabel('sequence', { exact: true }).fill('429*2, 503')
    await switchOn(page)
    await rulesOf(page).getByText('429*2, 503').waitFor()
    expect(await sendEvents(own, 1)).toEqual([429])
    const step = page.locator('.steps [aria-current="step"]')
    await step.getByText('next: 429 × 2').waitFor()
    expect(await sendEvents(own, 1)).toEqual([429])
    await step.getByText('next: 503 from here on').waitFor()
    await ask(own, analyticsPath, { headers: { 'x-sim-sequence': '500, 200' } })
    const byHeader = page.locator('.sequence').filter({ hasText: 'by the header X-Sim-Sequence' })
    await byHeader.getByText('next: 200 from here on').waitFor()
    expect(await byHeader.textContent()).toContain('done: 500')
  })

  test('shows the rules of the start, which the page does not change', async () => {
    const own = await startForTest({ scenario: 'server-error' })
    const page = await openAt(own)
    const start = page.locator('.rule').filter({ hasText: 'server-error' })
    await start.waitFor()
    expect(await sendEvents(own, 1)).toEqual([500])
    await start.getByText('acted 1').waitFor()
    expect(await start.getByRole('button').count()).toBe(0)
  })
})
