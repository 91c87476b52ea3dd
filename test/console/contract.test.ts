// @module-tag long
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ControlSchemas } from '../../src/client/transport.ts'
import { click, describeInBrowser, expectAccessible, sharedBrowser, test } from '../support/browser.ts'
import { childLimits } from '../support/child-limits.ts'
import { analyticsPath, call, event } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { documentWithPaths } from '../support/documents.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { readControl } from '../support/stored-records.ts'

const browser = sharedBrowser()

/** Opens an operation's documentation. */
async function openOperation(sim: TestSimulator, operation: string, sandbox = 'default'): Promise<Page> {
  const page = await browser.open(sim, { hash: `#/contract/${operation}?sandbox=${sandbox}` })
  await page.locator('.operation').waitFor()
  return page
}

/** Clicks each uncovered item. Returns the commands that the page then shows. */
const readCommands = (page: Page) =>
  page.evaluate<string[]>(`(async () => {
    const commands = []
    for (const item of document.querySelectorAll('.item.missing')) {
      item.click()
      await new Promise(requestAnimationFrame)
      commands.push(document.querySelector('.item-request code').textContent)
    }
    return commands
  })()`)

describeInBrowser('the contract view', () => {
  test.each([
    { operation: 'getModelAnalytics', settings: {} },
    { operation: 'getModelAnalytics', settings: { clock: '2027-10-03', seed: '42' } },
    { operation: 'createPrompt', settings: {} },
    { operation: 'createEvent', settings: {} },
  ])('shows, for each item of $operation, a request that covers it ($settings)', async ({ operation, settings }) => {
    const own = await startForTest(settings)
    const { operations } = await readControl<ControlSchemas['Coverage']>(own, '/coverage')
    expect(operations).toHaveLength(3)
    const points = operations.find((one) => one.operation === operation)?.points
    const page = await openOperation(own, operation)
    expect(await page.locator('.item.missing').count()).toBe(points)
    const commands = new Set(await readCommands(page)) // one request can cover several items
    await promisify(execFile)('bash', ['--norc', '-c', [...commands].join('\n')], childLimits)
    await page.locator('.operation-facts').getByText(`${points} of ${points} covered`).waitFor()
    expect(await page.locator('.item.met').count()).toBe(points)
  })

  test('updates the coverage as the client sends requests, and can hide fully covered fields', async ({ own }) => {
    const page = await openOperation(own, 'createEvent')
    const valueType = page.locator('.fields li').filter({ hasText: /^valueType/ })
    expect(await valueType.locator('.item.missing').count()).toBe(5)
    await call(own, '/v1/events', { body: event({ valueType: 'currency' }) })
    await valueType.locator('.item.met').getByText('currency').waitFor()
    expect(await valueType.locator('.item.missing').count()).toBe(3)
    await page.getByRole('link', { name: '1 request', exact: true }).waitFor()
    const eventType = page.locator('.fields li').filter({ hasText: /^eventType/ })
    expect(await eventType.locator('.item').textContent()).toContain('Covered: ')
    await page.keyboard.press('m')
    await eventType.waitFor({ state: 'detached' })
    expect(await valueType.count()).toBe(1)
  })

  test('describes parameters, fields and responses, and shows each assumption where it applies', async ({ own }) => {
    const page = await openOperation(own, 'getModelAnalytics')
    const period = page.locator('.fields li').filter({ hasText: /^period/ })
    expect(await period.textContent()).toMatch(/in the query, string, default 30dThe time window/)
    const forbidden = page.locator('.response').filter({ hasText: /^403/ })
    expect(await forbidden.locator('.assumption').first().textContent()).toMatch(
      /^Assumption: The names of the plans besides Growth are not described/,
    )
    const rating = page.locator('.fields li').filter({ hasText: /^averageConversationRating/ })
    expect(await rating.locator('.assumption').textContent()).toContain('1 to 5, as for a five-star rating')
    const general = page.locator('.general')
    expect(await general.textContent()).toContain('The order of refusals is not described')
    expect(await general.textContent()).toContain('How keys are issued')
  })

  test('shows the coverage in one sandbox, with commands for that sandbox', async ({ own }) => {
    await call(own, analyticsPath, { headers: { 'x-sim-sandbox': 'one' } })
    const { points } = await readControl<ControlSchemas['Coverage']>(own, '/coverage?sandbox=one')
    const page = await openOperation(own, 'getModelAnalytics', 'two')
    await page.getByText(`0 of ${points} covered`).waitFor()
    await page.getByRole('button', { name: 'Not covered: 7d' }).click()
    expect(await page.locator('.item-request code').textContent()).toMatch(/period=7d.*X-Sim-Sandbox: two/s)
    expect(page.url()).toContain('item=query+period%3D7d')
    await expectAccessible(page)
    await page.getByLabel('Sandbox').selectOption('one')
    await page.locator('.item.met').first().waitFor()
  })

  test('says how an operation is served, and links to the form for each applicable scenario', async ({ own }) => {
    const { scenarios } = await readControl<ControlSchemas['Catalogue']>(own, '/catalogue')
    const applicable = scenarios.filter(({ operations }) => operations.includes('createEvent'))
    const page = await openOperation(own, 'createEvent', 'w1')
    expect(await page.locator('.operation-facts').textContent()).toContain('Served by the simulator')
    const list = page.locator('.operation-scenarios')
    await list.getByText(`${applicable.length} scenarios for this operation`).click()
    expect((await list.getByRole('link').allTextContents()).sort()).toEqual(applicable.map(({ name }) => name).sort())
    await expectAccessible(page)
    await list.getByRole('link', { name: 'unavailable' }).click()
    await click(page, 'Switch on')
    await page.locator('.rule').waitFor()
    expect(await callControl(own, 'GET', '/scenarios?sandbox=w1')).toMatchObject({
      rules: [{ operation: 'createEvent', scenario: 'unavailable' }],
    })
  })

  test('says that an operation without a handler is served from the examples and schemas', async () => {
    const content = { 'application/json': { schema: { type: 'object' }, example: { sold: 7 } } }
    const get = { operationId: 'getSales', responses: { 200: { description: 'Sales.', content } } }
    const own = await startForTest({ contract: await documentWithPaths({ '/sales': { get } }) })
    await (await openOperation(own, 'getSales')).getByText('Served from the examples and schemas').waitFor()
  })
})
