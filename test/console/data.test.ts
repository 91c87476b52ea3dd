// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { readAnalytics } from '../support/analytics.ts'
import {
  click,
  describeInBrowser,
  expectAccessible,
  readClipboard,
  sharedBrowser,
  test,
  textsOf,
} from '../support/browser.ts'
import { call, event } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'

const browser = sharedBrowser()

/** A model in `webShop`, one without a product, one without scores on most days, and one whose requests get a 429. */
const [checkout, onboarding, sparse, refused] = ['1', '4', '7', '429'].map(
  (tail) => `00000000-0000-4000-8000-${tail.padStart(12, '0')}`,
) as [string, string, string, string]
const webShop = '00000000-0000-4000-9000-000000000001'

/** Opens the view for a model and waits for the model's numbers. */
async function openModel(sim: TestSimulator, id: string, query = ''): Promise<Page> {
  const page = await browser.open(sim, { hash: `#/data/${id}${query}` })
  await page.getByRole('heading', { name: 'Detections' }).waitFor()
  return page
}

const qualitySlider = (page: Page) => page.getByRole('slider', { name: /^Conversation quality/ })

/** Returns the text in the cells of the day table, by row. */
async function readTable(page: Page): Promise<string[][]> {
  await page.locator('.day-table').waitFor()
  return page.evaluate<string[][]>(
    `[...document.querySelectorAll('.day-table tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.textContent))`,
  )
}

describeInBrowser('the data view', () => {
  test('shows a shaded gap for each day without data, and can also show the numbers as a table', async ({ own }) => {
    const { dataPoints } = await readAnalytics(own, sparse)
    const page = await openModel(own, sparse)
    const hasData = dataPoints.map((day) => day.avgConversationQualityIndex !== null)
    const plot = page.locator('.chart').first()
    const line = (await plot.locator('.chart-line').getAttribute('d')) ?? ''
    const lineCount = hasData.filter((has, index) => has && !hasData[index - 1]).length
    expect(line.match(/M/g)).toHaveLength(lineCount)
    const gaps = (await plot.locator('.chart-gap').getAttribute('d')) ?? ''
    expect(gaps.match(/M/g)).toHaveLength(hasData.filter((has) => !has).length)
    const dayCount = hasData.filter((has) => has).length
    expect(await qualitySlider(page).getAttribute('aria-label')).toContain(`data for ${dayCount} of 30 days`)

    await click(page, 'Table')
    const formatScore = (value: number | null) => value?.toFixed(4) ?? 'null'
    expect(await readTable(page)).toEqual(
      dataPoints.map((day) => [
        day.date.slice(0, 10),
        ...[day.avgConversationQualityIndex, day.avgSatisfactionScore, day.avgGrowthScore].map(formatScore),
        ...[day.avgFrictionScore, day.avgSafetyScore].map(formatScore),
        ...[day.conversationCount, day.messageCount].map(String),
      ]),
    )
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Copy as CSV' }).click()
    const csv = await readClipboard(page)
    expect(csv.split('\n')).toHaveLength(31)
    expect(csv).toMatch(/^Day,Conversation quality,.*\n2025-12-17,0\.\d+,/)
  })

  test('has charts that can be read with the keyboard and that all show the selected day', async ({ own }) => {
    const { dataPoints } = await readAnalytics(own, checkout, '7d')
    const page = await openModel(own, checkout, '?period=7d')
    await qualitySlider(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    const day = dataPoints[1]
    expect(await qualitySlider(page).getAttribute('aria-valuetext')).toBe(
      `Sat, 10 Jan 2026: ${day?.avgConversationQualityIndex}`,
    )
    expect(await textsOf(page, '.chart-days b')).toEqual(Array(7).fill('Sat, 10 Jan 2026'))
    const messages = page.locator('figure', { hasText: 'Messages' }).locator('.chart-reading')
    expect(await messages.textContent()).toBe(day?.messageCount.toLocaleString('en'))
    await page.keyboard.press('End')
    expect(await qualitySlider(page).inputValue()).toBe('6')
    await page.keyboard.press('Tab')
    await page.getByRole('slider', { name: /^Satisfaction/ }).hover({ position: { x: 2, y: 20 } })
    expect(await page.locator('.chart-days b').first().textContent()).toBe('Fri, 9 Jan 2026')
    await expectAccessible(page)
  })

  test('keeps the model, period and persona in the URL, and can copy the request as curl', async ({ own }) => {
    const page = await openModel(own, checkout)
    await page.getByRole('link', { name: 'Onboarding Guide' }).first().click()
    await page.getByRole('heading', { name: 'Onboarding Guide' }).waitFor()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByLabel('Persona').selectOption('critical')
    await page.getByText('An unsafe model').waitFor()
    await click(page, 'Table')
    const headers = { 'x-sim-scenario': 'critical' }
    const { dataPoints } = await readAnalytics(own, onboarding, '7d', { headers })
    const satisfaction = dataPoints.map((day) => day.avgSatisfactionScore?.toFixed(4))
    await expect.poll(async () => (await readTable(page)).map((row) => row[2])).toEqual(satisfaction)
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const line = await readClipboard(page)
    expect(line).toContain(`${own.origin}/v1/models/${onboarding}/analytics?period=7d`)
    expect(line).toContain('X-Sim-Scenario: critical')
    const again = await browser.open(own, { hash: new URL(page.url()).hash })
    await expect.poll(async () => (await readTable(again)).map((row) => row[2])).toEqual(satisfaction)
  })

  test('says why a model has no numbers, and can show numbers that a scenario hides', async () => {
    const { own, page } = await browser.openNew(`#/data/${refused}`, { models: 'closed' })
    await page.getByText('now gets a 429').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Show the numbers anyway' }).click()
    await page.getByRole('heading', { name: 'Detections' }).waitFor()
    await page.getByLabel('ID of another model').fill('4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34')
    await page.keyboard.press('Enter')
    await page.getByText('now gets a 404').waitFor()
    await putRules(own, [{ scenario: 'unavailable' }])
    await page.getByRole('link', { name: 'Onboarding Guide' }).click()
    await page.getByText('now gets a 503').waitFor()
    await page.getByText('The response comes from rule 1.').waitFor()
  })

  test('shows a damaged response without failing', async ({ own }) => {
    await putRules(own, [{ scenario: 'wrong-type;pointer=/hallucinationCount' }])
    const page = await openModel(own, checkout)
    await page.getByText('A scenario damages the response').waitFor()
    await page.locator('.json-line.marked.damage').first().waitFor()
    for (const pointer of ['/dataPoints', '/recommendations', '/dataPoints/0/date', '/averageUserSentiment']) {
      await putRules(own, [{ scenario: `wrong-type;pointer=${pointer}` }])
      await page.reload()
      await page.getByText('A scenario damages the response').getByText(pointer).waitFor()
    }
    expect(await page.getByText('This view has failed').count()).toBe(0)
  })

  test('shows the effect of events on the numbers, by quality index and by day', async ({ own }) => {
    const page = await openModel(own, checkout)
    expect(await page.locator('.event-effects code').textContent()).toContain(webShop)
    const before = await readAnalytics(own, checkout)
    const chat = { externalConversationId: 'chat-1', eventAt: '2026-01-12T08:00:00Z' }
    await call(own, '/v1/events', { body: event({ productId: webShop, influence: 'negative', ...chat }) })
    const after = await readAnalytics(own, checkout)
    const [prior, current] = [before.avgConversationQualityIndex, after.avgConversationQualityIndex]
    expect(current).not.toBe(prior)
    await page.getByText(`Conversation quality is ${current} on average and would be ${prior} without events`).waitFor()
    const rows = await textsOf(page, '.event-effects tbody tr')
    expect(rows).toEqual(['Web Shop0.400 −11', 'chat-10.400 −11'])
    await qualitySlider(page).focus()
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft')
    const readQuality = (analytics: typeof before) => analytics.dataPoints.at(-4)?.avgConversationQualityIndex
    expect(await qualitySlider(page).getAttribute('aria-valuetext')).toBe(
      `Mon, 12 Jan 2026: ${readQuality(after)}, without events ${readQuality(before)}`,
    )
    expect(await listSandboxes(own)).toMatchObject([{ name: 'default' }])
  })

  test('compares the numbers with and without events under the same rule, seed and time', async ({ own }) => {
    const headers = { 'x-sim-seed': '77', 'x-sim-scenario': 'spiky', 'x-sim-now': '2026-05-06T07:00:00Z' }
    const { avgConversationQualityIndex: eventless } = await readAnalytics(own, checkout, '30d', { headers })
    await callControl(own, 'PUT', '/sandboxes/w1', { seed: '77' })
    await callControl(own, 'PUT', '/clock?sandbox=w1', { mode: 'frozen', now: '2026-05-06T07:00:00Z' })
    await putRules(own, [{ scenario: 'spiky' }], 'w1')
    const body = event({ productId: webShop, influence: 'positive' })
    await call(own, '/v1/events', { body, headers: { 'x-sim-sandbox': 'w1', 'x-sim-scenario': '200' } })
    const page = await openModel(own, checkout, '?sandbox=w1')
    await page.getByText(`would be ${eventless} without events`).waitFor()
    await page.getByLabel('Sandbox').selectOption('default')
    await page.getByText('No events for Web Shop yet').waitFor()
  })

  test('moves the clock and updates the numbers', async ({ own }) => {
    const page = await openModel(own, checkout, '?look=table')
    const lastDay = async () => (await readTable(page)).at(-1)?.[0]
    await page.getByRole('button', { name: '+1d' }).click()
    await expect.poll(lastDay).toBe('2026-01-16')
    await page.getByLabel('Clock date').fill('2026-03-04')
    await page.getByRole('button', { name: 'Go to noon' }).click()
    await expect.poll(lastDay).toBe('2026-03-04')
    expect(await callControl(own, 'GET', '/clock')).toEqual({ mode: 'frozen', now: '2026-03-04T12:00:00.000Z' })
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Freeze' }).click()
    await page.getByText('frozen at this time').waitFor()
    await page.getByRole('button', { name: 'Use real time' }).click()
    await page.getByText('real time', { exact: true }).waitFor()
    expect(await callControl(own, 'GET', '/clock')).toMatchObject({ mode: 'real' })
    await expect.poll(lastDay).toBe(new Date().toISOString().slice(0, 10))
  })

  test('shows models and products even if the stream of requests cannot be opened', async ({ own }) => {
    await call(own, '/v1/events', { body: event({ productId: webShop }) })
    const page = await browser.open(own)
    await page.context().route('**/requests/stream*', (route) => route.fulfill({ status: 503 }))
    await page.goto('about:blank')
    await page.goto(`${own.origin}/__sim/#/data/${checkout}`)
    await page.getByRole('heading', { name: 'Detections' }).waitFor()
    await page.goto(`${own.origin}/__sim/#/events`)
    await page.getByRole('row', { name: 'upgrade_purchased' }).getByText('Web Shop').waitFor()
  })
})
