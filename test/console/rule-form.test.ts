// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ControlSchemas } from '../../src/client/transport.ts'
import { listAccessibilityFindings } from '../support/axe.ts'
import { describeInBrowser, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, ask, event } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'
import { readControl } from '../support/stored-records.ts'

const browser = sharedBrowser()

const model = '0f6b2c4e-1111-4222-8333-444455556666'

/** A rule with all that a rule can say; the body is compared as a part, which is not how the form would write it. */
const fullRule = {
  operation: 'createEvent',
  match: {
    product: model,
    method: 'POST',
    path: '/v1/events',
    query: { trace: null },
    header: { 'X-Team': 'a, "b"', 'x-none': null },
    body: { eventType: '12', properties: { a: [1, null] }, value: 12.5 },
  },
  scenario: 'slow;ms=5;distribution=uniform, 429;retry-after=3',
  times: 3,
  probability: 0.5,
  enabled: false,
}

async function openRules(sim: TestSimulator, place = ''): Promise<Page> {
  const page = await browser.open(sim, { place: `#/scenarios${place}` })
  await page.locator('.pane-head').first().waitFor()
  return page
}

const readRules = async (sim: TestSimulator) => (await steer(sim, 'GET', '/scenarios'))['rules']

const edit = (page: Page, number: number) =>
  page.getByRole('button', { name: `Edit rule ${number}`, exact: true }).click()

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

/** Adds a condition, and puts the focus into its first empty field. */
async function addCondition(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: `Add a condition: ${title}` }).click()
  await page.locator('.condition').last().locator('input:placeholder-shown').first().focus()
}

describeInBrowser('the form of a rule', () => {
  test('changes a rule in its place, and leaves the others as they are', async ({ own }) => {
    const [first, last] = [{ scenario: 'unavailable', times: 1 }, { sequence: '429*2, 200' }]
    await putRules(own, [first, { scenario: 'slow;ms=5', match: { method: 'POST' } }, last])
    const page = await openRules(own)
    await edit(page, 2)
    expect(await page.getByLabel('ms', { exact: false }).first().inputValue()).toBe('5')
    expect(await page.getByLabel('Value of the method').inputValue()).toBe('POST')
    await page.getByLabel('ms', { exact: false }).first().fill('9')
    await page.getByLabel('probability').fill('0.25')
    await addCondition(page, 'header')
    await page.keyboard.type('x-team')
    await page.getByLabel('Value of the header').fill('blue')
    await save(page)
    await page.getByText('header x-team is "blue" · with the probability 0.25').waitFor()
    const match = { method: 'POST', header: { 'x-team': 'blue' } }
    expect(await readRules(own)).toEqual([first, { scenario: 'slow;ms=9', match, probability: 0.25 }, last])
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    // The page sets the focus in its next frame.
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Edit rule 2')
  })

  test('keeps all that a rule says when it is saved unchanged', async ({ own }) => {
    const rules = [
      fullRule,
      { sequence: '429*2, 200', times: 0 },
      { scenario: 'slow ; ms=5', match: { body: { '/eventType': 'a', '': null } } },
      { scenario: 'slow;ms=5', match: { header: { 'x-empty': '' } }, probability: 1 },
    ]
    await putRules(own, rules)
    const page = await openRules(own)
    for (let number = 1; number <= rules.length; number++) {
      await edit(page, number)
      await save(page)
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    }
    expect(await readRules(own)).toEqual(rules)
  })

  test('says every condition that a rule can have, and acts on such requests alone', async ({ own }) => {
    const page = await openRules(own, '/server-error')
    await page.getByLabel('operation').selectOption('createEvent')
    await addCondition(page, 'method')
    await page.keyboard.type('POST')
    await addCondition(page, 'path')
    await page.keyboard.type('/v1/events')
    await addCondition(page, 'header')
    await page.keyboard.type('x-absent')
    await page.getByLabel('Is the header sent').selectOption('absent')
    await addCondition(page, 'body field')
    await page.keyboard.type('/value')
    await page.getByLabel('Value of the body field /value').fill('"12.5"')
    await addCondition(page, 'event type')
    await page.keyboard.type('refund')
    await page.getByRole('button', { name: 'Switch on', exact: true }).click()
    await page.locator('.rule').waitFor()
    const fields = { header: { 'x-absent': null }, body: { '/value': '12.5', '/eventType': 'refund' } }
    const match = { method: 'POST', path: '/v1/events', ...fields }
    expect(await readRules(own)).toEqual([{ operation: 'createEvent', match, scenario: 'server-error' }])
    const body = event({ eventType: 'refund', value: '12.5' })
    expect((await ask(own, '/v1/events', { body })).status).toBe(500)
    const other = { ...body, insertId: 'other' }
    expect((await ask(own, '/v1/events', { body: other, headers: { 'x-absent': 'no' } })).status).toBe(201)
    expect((await ask(own, '/v1/events', { body: event({ eventType: 'refund' }) })).status).toBe(201)
    await page.getByText('acted 1').waitFor()
  })

  test('offers the models of the fixtures, and acts on one of them', async ({ own }) => {
    const { models } = await readControl<ControlSchemas['Catalogue']>(own, '/catalogue')
    const id = models[0]?.id ?? ''
    const page = await openRules(own, '/server-error')
    await addCondition(page, 'model')
    expect(await page.locator(`datalist option[value="${id}"]`).count()).toBe(1)
    await page.keyboard.type(id)
    await page.getByRole('button', { name: 'Switch on', exact: true }).click()
    await page.getByText(`model ${models[0]?.name}`).waitFor()
    expect((await ask(own, `/v1/models/${id}/analytics`)).status).toBe(500)
    expect((await ask(own, analyticsPath)).status).toBe(200)
  })

  test('shows why a rule is refused, and keeps what was typed', async ({ own }) => {
    const page = await openRules(own, '/sequence')
    await page.getByLabel('sequence', { exact: true }).fill('429*0, 200')
    await page.getByRole('button', { name: 'Switch on', exact: true }).click()
    await page.getByRole('alert').getByText('is never met').waitFor()
    expect(await page.getByLabel('sequence', { exact: true }).inputValue()).toBe('429*0, 200')
    expect(await listAccessibilityFindings(page)).toEqual([])
  })

  test('has one field for the probability, and edits a rule whose scenario has its own as a text', async ({ own }) => {
    await putRules(own, [{ scenario: 'slow;ms=5;p=0.5' }])
    const page = await openRules(own, '/slow')
    await page.getByLabel('probability').waitFor()
    expect(await page.getByLabel('p', { exact: true }).count()).toBe(0)
    await edit(page, 1)
    expect(await page.getByLabel('combination').inputValue()).toBe('slow;ms=5;p=0.5')
  })

  test('saves nothing over a rule that has changed or moved meanwhile, and keeps what was typed', async ({ own }) => {
    await putRules(own, [{ scenario: 'slow;ms=1' }])
    const page = await openRules(own)
    await edit(page, 1)
    await page.getByLabel('times').fill('7')
    await putRules(own, [{ scenario: 'unavailable' }, { scenario: 'slow;ms=1' }])
    await save(page)
    await page.getByText('The rules were changed meanwhile.').waitFor()
    expect(await page.getByLabel('times').inputValue()).toBe('7')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await readRules(own)).toEqual([{ scenario: 'unavailable' }, { scenario: 'slow;ms=1' }])
  })
})
