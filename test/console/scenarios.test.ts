// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ControlSchemas } from '../../src/client/transport.ts'
import {
  click,
  closeDialog,
  describeInBrowser,
  expectAccessible,
  readClipboard,
  sendEvents,
  sharedBrowser,
  test,
} from '../support/browser.ts'
import { analyticsPath, call, event } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { readControl } from '../support/stored-records.ts'

const browser = sharedBrowser()

/** Opens the scenarios view. A path such as `/slow` selects a scenario in the catalogue. */
async function openScenarios(sim: TestSimulator, path = ''): Promise<Page> {
  const page = await browser.open(sim, { hash: `#/scenarios${path}` })
  await page.locator('.pane-head').first().waitFor()
  return page
}

const rulesOf = (page: Page) => page.getByRole('region', { name: 'Rules' }).locator('.rule')

describeInBrowser('the scenarios view', () => {
  test('lists the whole catalogue with descriptions, and finds scenarios by keywords', async ({ own }) => {
    const { scenarios } = (await callControl(own, 'GET', '/catalogue')) as {
      scenarios: { name: string; about: string }[]
    }
    const page = await openScenarios(own)
    const choices = page.locator('.rule-choice')
    await choices.first().waitFor()
    expect(await choices.count()).toBe(scenarios.length + 2) // a sequence or a combination can also be chosen
    for (const { about } of scenarios)
      expect(await page.locator('.rule-choice span').getByText(about, { exact: true }).count(), about).toBe(1)
    const refusals = page.getByRole('region', { name: 'refusals' })
    expect(await refusals.locator('a').allTextContents()).toContainEqual(
      expect.stringMatching(/^rate-limited 429Returns/),
    )
    expect(await refusals.getByText('200').count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.type('connection RESET')
    await page.locator('.rule-choice').getByText('lost-ack').waitFor()
    await expect.poll(() => choices.count()).toBeLessThan(5)
    expect(page.url()).toContain('q=connection+RESET')
    await page.getByLabel('Search scenarios').fill('nothing has this')
    await page.getByText('No scenarios match.').waitFor()
  })

  test('switches on a scenario for matching requests, and shows how many times it was applied', async ({ own }) => {
    const page = await openScenarios(own)
    await page.locator('.rule-choice').getByText('rate-limited', { exact: true }).click()
    await page.locator('.rule-form .pairs').getByText('Retry-After', { exact: true }).waitFor()
    await page.getByLabel('retry-after (s)').fill('7')
    await page.getByLabel('operation').selectOption('createEvent')
    await page.getByRole('button', { name: 'Add a condition: event type' }).click()
    await page.getByLabel('Value of the body field /eventType').fill('refund')
    await page.getByLabel('times').fill('2')
    await click(page, 'Switch on')
    const rule = rulesOf(page)
    await rule.getByText('rate-limited;retry-after=7', { exact: true }).waitFor()
    await rule.getByText('createEvent · body /eventType is "refund" · 2 times').waitFor()
    expect(await sendEvents(own, 1)).toEqual([201])
    const refused = await call(own, '/v1/events', { body: event({ eventType: 'refund' }) })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    await rule.getByText('applied 1×, 1 left').waitFor()
    await sendEvents(own, 2, { eventType: 'refund' })
    await rule.getByText('applied 2×, used up').waitFor()
    await page.getByRole('button', { name: 'Reset counts' }).click()
    await rule.getByText('applied 0×, 2 left').waitFor()
    expect(await sendEvents(own, 3, { eventType: 'refund' })).toEqual([429, 429, 201])
  })

  test('adds each new rule at the top, and can disable, move and remove rules', async ({ own }) => {
    const page = await openScenarios(own, '/unavailable')
    await click(page, 'Switch on')
    await rulesOf(page).first().waitFor()
    await page.goto(`${own.origin}/__sim/#/scenarios/server-error`)
    await click(page, 'Switch on')
    await page.getByRole('button', { name: 'Remove rule 2' }).waitFor()
    expect(await rulesOf(page).locator('code').allTextContents()).toEqual(['server-error', 'unavailable'])
    expect(await sendEvents(own, 1)).toEqual([500])
    await page.getByRole('switch', { name: 'Enable rule 1' }).click()
    await rulesOf(page).getByText('off').waitFor()
    expect(await sendEvents(own, 1)).toEqual([503])
    await page.getByRole('switch', { name: 'Enable rule 1' }).click()
    await rulesOf(page).getByText('off').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Move rule 2 up' }).click()
    await rulesOf(page).first().getByText('unavailable', { exact: true }).waitFor()
    await page.locator('#move-1:focus').waitFor()
    expect(await sendEvents(own, 1)).toEqual([503])
    await page.getByRole('button', { name: 'Remove rule 1' }).click()
    await closeDialog(page, 'Remove rule 1?', 'Remove')
    await rulesOf(page).nth(1).waitFor({ state: 'detached' })
    expect(await sendEvents(own, 1)).toEqual([500])
    await page.getByRole('button', { name: 'Remove all' }).click()
    expect(await closeDialog(page, 'Remove all rules?', 'Remove')).toEqual(['rule 1: server-error'])
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor()
    expect(await sendEvents(own, 1)).toEqual([201])
  })

  test('applies all changes, even if the user does not wait for the responses', async ({ own }) => {
    await putRules(own, [{ scenario: 'server-error' }, { scenario: 'unavailable' }, { scenario: 'rate-limited' }])
    const page = await openScenarios(own)
    await rulesOf(page).nth(2).waitFor()
    await page.evaluate('for (const at of [0, 0, 1, 2]) document.querySelectorAll("[role=switch]")[at].click()')
    await page.locator('.rule.off').nth(1).waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
    expect(await sendEvents(own, 1)).toEqual([500])
  })

  test('copies the header that is equivalent to the form or to a rule', async ({ own }) => {
    await putRules(own, [{ operation: 'createEvent', sequence: '429*2, 200' }])
    const page = await openScenarios(own, '/slow')
    await page.getByLabel('ms', { exact: false }).first().fill('20')
    await page.getByLabel('distribution').selectOption('uniform')
    await page.getByRole('button', { name: 'Copy the header' }).click()
    const copied = () => readClipboard(page)
    expect(await copied()).toBe('X-Sim-Scenario: slow;ms=20;distribution=uniform')
    const [, value = ''] = (await copied()).split(': ')
    expect((await call(own, analyticsPath, { headers: { 'x-sim-scenario': value } })).status).toBe(200)
    await page.getByRole('button', { name: 'Copy header for rule 1' }).click()
    expect(await copied()).toBe('X-Sim-Sequence: 429*2, 200')
  })

  test('shows the current position in each sequence from a rule or a header', async ({ own }) => {
    const page = await openScenarios(own, '/sequence')
    await page.getByLabel('sequence', { exact: true }).fill('429*2, 503')
    await click(page, 'Switch on')
    await rulesOf(page).getByText('429*2, 503').waitFor()
    expect(await sendEvents(own, 1)).toEqual([429])
    const step = page.locator('.steps [aria-current="step"]')
    await step.getByText('next: 429 × 2').waitFor()
    expect(await sendEvents(own, 1)).toEqual([429])
    await step.getByText('next: 503 from here on').waitFor()
    await call(own, analyticsPath, { headers: { 'x-sim-sequence': '500, 200' } })
    const headerSequence = page.locator('.sequence').filter({ hasText: 'X-Sim-Sequence header' })
    await headerSequence.getByText('next: 200 from here on').waitFor()
    expect(await headerSequence.textContent()).toContain('done: 500')
  })

  test('shows the startup rules, which the page cannot change', async () => {
    const own = await startForTest({ scenario: 'server-error' })
    const page = await openScenarios(own)
    const startupRule = page.locator('.rule').filter({ hasText: 'server-error' })
    await startupRule.waitFor()
    expect(await sendEvents(own, 1)).toEqual([500])
    await startupRule.getByText('applied 1×').waitFor()
    expect(await startupRule.getByRole('button').count()).toBe(0)
  })
})

const product = '0f6b2c4e-1111-4222-8333-444455556666'

/** A rule with many kinds of condition. Its body condition is nested; the form itself writes JSON Pointers instead. */
const fullRule = {
  operation: 'createEvent',
  match: {
    product,
    method: 'POST',
    path: '/v1/events',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    query: { trace: null },
    header: { 'X-Team': 'a, "b"', 'x-none': null },
    body: { eventType: '12', properties: { a: [1, null] }, value: 12.5 },
  },
  scenario: 'slow;ms=5;distribution=uniform, 429;retry-after=3',
  times: 3,
  probability: 0.5,
  enabled: false,
}

const readRules = async (sim: TestSimulator) => (await callControl(sim, 'GET', '/scenarios'))['rules']

/** Adds a condition and focuses its first empty field. */
async function addCondition(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: `Add a condition: ${title}` }).click()
  await page.locator('.condition').last().locator('input:placeholder-shown').first().focus()
}

describeInBrowser('the rule form', () => {
  test('edits a rule in place and leaves the other rules unchanged', async ({ own }) => {
    const [first, last] = [{ scenario: 'unavailable', times: 1 }, { sequence: '429*2, 200' }]
    await putRules(own, [first, { scenario: 'slow;ms=5', match: { method: 'POST' } }, last])
    const page = await openScenarios(own)
    await click(page, 'Edit rule 2')
    expect(await page.getByLabel('ms', { exact: false }).first().inputValue()).toBe('5')
    expect(await page.getByLabel('Value of the method').inputValue()).toBe('POST')
    await page.getByLabel('ms', { exact: false }).first().fill('9')
    await page.getByLabel('probability').fill('0.25')
    await addCondition(page, 'header')
    await page.keyboard.type('x-team')
    await page.getByLabel('Value of the header').fill('blue')
    await click(page, 'Save')
    await page.getByText('header x-team is "blue" · with probability 0.25').waitFor()
    const match = { method: 'POST', header: { 'x-team': 'blue' } }
    expect(await readRules(own)).toEqual([first, { scenario: 'slow;ms=9', match, probability: 0.25 }, last])
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    // The page moves the focus in the next animation frame.
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Edit rule 2')
  })

  test('does not change a rule that is saved without edits', async ({ own }) => {
    const rules = [
      fullRule,
      { sequence: '429*2, 200', times: 0 },
      { scenario: 'slow ; ms=5', match: { body: { '/eventType': 'a', '': null } } },
      { scenario: 'slow;ms=5', match: { header: { 'x-empty': '' } }, probability: 1 },
    ]
    await putRules(own, rules)
    const page = await openScenarios(own)
    for (let number = 1; number <= rules.length; number++) {
      await click(page, `Edit rule ${number}`)
      await click(page, 'Save')
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    }
    expect(await readRules(own)).toEqual(rules)
  })

  test('combines conditions of several kinds in a rule that applies only to matching requests', async ({ own }) => {
    const page = await openScenarios(own, '/server-error')
    await page.getByLabel('operation').selectOption('createEvent')
    await addCondition(page, 'method')
    await page.keyboard.type('POST')
    await addCondition(page, 'path')
    await page.keyboard.type('/v1/events')
    await addCondition(page, 'header')
    await page.keyboard.type('x-absent')
    await page.getByLabel('Whether the header is sent').selectOption('is not sent')
    await addCondition(page, 'body field')
    await page.keyboard.type('/value')
    await page.getByLabel('Value of the body field /value').fill('"12.5"')
    await addCondition(page, 'event type')
    await page.keyboard.type('refund')
    await click(page, 'Switch on')
    await page.locator('.rule').waitFor()
    const fields = { header: { 'x-absent': null }, body: { '/value': '12.5', '/eventType': 'refund' } }
    const match = { method: 'POST', path: '/v1/events', ...fields }
    expect(await readRules(own)).toEqual([{ operation: 'createEvent', match, scenario: 'server-error' }])
    const body = event({ eventType: 'refund', value: '12.5' })
    expect((await call(own, '/v1/events', { body })).status).toBe(500)
    const other = { ...body, insertId: 'other' }
    expect((await call(own, '/v1/events', { body: other, headers: { 'x-absent': 'no' } })).status).toBe(201)
    expect((await call(own, '/v1/events', { body: event({ eventType: 'refund' }) })).status).toBe(201)
    await page.getByText('applied 1×').waitFor()
  })

  test('offers the models in the fixtures, and adds a rule for the chosen model', async ({ own }) => {
    const { models } = await readControl<ControlSchemas['Catalogue']>(own, '/catalogue')
    const id = models[0]?.id ?? ''
    const page = await openScenarios(own, '/server-error')
    await addCondition(page, 'model')
    expect(await page.locator(`datalist option[value="${id}"]`).count()).toBe(1)
    await page.keyboard.type(id)
    await click(page, 'Switch on')
    await page.getByText(`model ${models[0]?.name}`).waitFor()
    expect((await call(own, `/v1/models/${id}/analytics`)).status).toBe(500)
    expect((await call(own, analyticsPath)).status).toBe(200)
  })

  test('shows why a rule is refused, and edits a rule as text if its scenario has a probability', async ({ own }) => {
    await putRules(own, [{ scenario: 'slow;ms=5;p=0.5' }])
    const page = await openScenarios(own, '/sequence')
    await page.getByLabel('sequence', { exact: true }).fill('429*0, 200')
    await click(page, 'Switch on')
    await page.getByRole('alert').getByText('is not an item of a sequence').waitFor()
    expect(await page.getByLabel('sequence', { exact: true }).inputValue()).toBe('429*0, 200')
    await expectAccessible(page)
    await page.goto(`${own.origin}/__sim/#/scenarios/slow`)
    await page.getByLabel('probability').waitFor()
    expect(await page.getByLabel('p', { exact: true }).count()).toBe(0)
    await click(page, 'Edit rule 1')
    expect(await page.getByLabel('combination').inputValue()).toBe('slow;ms=5;p=0.5')
  })

  test('does not save a rule if another client has changed the rules, and keeps what was typed', async ({ own }) => {
    await putRules(own, [{ scenario: 'slow;ms=1' }])
    const page = await openScenarios(own)
    await click(page, 'Edit rule 1')
    await page.getByLabel('times').fill('7')
    await putRules(own, [{ scenario: 'unavailable' }, { scenario: 'slow;ms=1' }])
    await click(page, 'Save')
    await page.getByText('Not saved: the rules have changed.').waitFor()
    expect(await page.getByLabel('times').inputValue()).toBe('7')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await readRules(own)).toEqual([{ scenario: 'unavailable' }, { scenario: 'slow;ms=1' }])
  })
})
