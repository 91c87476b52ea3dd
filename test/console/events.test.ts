// @module-tag long
import { expect } from 'vitest'
import { describeInBrowser, sharedBrowser, test, textsOf } from '../support/browser.ts'
import { call, event, productId, prompt, textOf } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { postAll } from '../support/pipelined.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

describeInBrowser('the events view', () => {
  test('says how to record the first event, and shows that event with the indexes that it changes', async () => {
    const { own, page } = await browser.openNew('#/events')
    const line = await page.locator('.command-line code').textContent()
    const sent = JSON.parse(/-d '(.*)'$/s.exec(line ?? '')?.[1] ?? '')
    expect(await call(own, '/v1/events', { body: sent })).toMatchObject({ status: 201 })
    const row = page.getByRole('row', { name: 'upgrade_purchased' })
    await row.waitFor()
    expect(await row.textContent()).toContain('+1')
    await row.getByText('Web Shop').waitFor()
    await page.getByRole('row', { name: /^chat-1 0\.600/ }).waitFor()
    await call(own, '/v1/events', { body: sent })
    await row.getByText('1 replay').waitFor()
    await page.getByLabel('Weight of events').fill('0.25')
    await page.getByRole('button', { name: 'Set' }).click()
    await page.getByRole('row', { name: /^chat-1 0\.750/ }).waitFor()
    expect(await callControl(own, 'GET', '/quality')).toMatchObject({ weight: 0.25 })
  })

  test('lists events newest first, with their replays, repetitions, sampling and eventAt', async ({ own }) => {
    await call(own, '/v1/events', { body: event({ eventType: 'dropped', sampleRate: 0, influence: 'negative' }) })
    const replay = { eventType: 'replayed', insertId: 'a', eventAt: '2026-01-02T03:04:05Z' }
    for (let sent = 0; sent < 3; sent += 1)
      await call(own, '/v1/events', { body: event({ ...replay, qualityImpactScore: -0.4 }) })
    for (const eventType of ['twice', 'twice']) await call(own, '/v1/events', { body: event({ eventType }) })
    const page = await browser.open(own, { hash: '#/events', width: 1600 })
    await page.getByText('4 listed').waitFor()
    expect(await page.locator('.event-list tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/twice.*repeated/s),
      expect.stringMatching(/twice/s),
      expect.stringMatching(/replayed.*−0.4.*2 replays.*2026-01-02 03:04:05/s),
      expect.stringMatching(/dropped.*−1.*sampled out/s),
    ])
    expect(await textsOf(page, '.event-list del')).toEqual(['−1'])
    await page.getByRole('link', { name: 'replayed' }).click()
    await page.getByText('sent 2 more times with the insertId a').waitFor()
    await page.getByText('Quality indexes change by −0.04').waitFor()
    await page.getByRole('link', { name: 'dropped' }).click()
    await page.getByText('Sampling at a rate of 0 dropped the event').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Quality indexes' }).waitFor()
  })

  test.each([390, 1440])('needs no horizontal scrolling and does not wrap IDs at a width of %d px', async (width) => {
    const own = await startForTest()
    const unknown = '33333333-3333-4333-8333-333333333333'
    for (let sent = 0; sent < 2; sent += 1)
      await call(own, '/v1/events', { body: event({ eventType: 'x'.repeat(60), productId: unknown }) })
    const page = await browser.open(own, { hash: '#/events', width })
    await page.getByText('2 listed').waitFor()
    await page.getByRole('link', { name: '33333333…3333' }).waitFor()
    const sizes = await page.evaluate<number[][]>(
      `Array.from(document.querySelectorAll('.event-list, .split-side'), (one) => [one.scrollWidth, one.clientWidth])`,
    )
    for (const [content, shown] of sizes) expect(content).toBe(shown)
    const heights = await page.evaluate<number[]>(
      `Array.from(document.querySelectorAll('.split-side tbody tr'), (one) => one.clientHeight)`,
    )
    expect(Math.max(...heights)).toBeLessThan(32)
  })

  test('filters events by a search in the URL or search field, or by a click on a quality index', async ({ own }) => {
    const conversationId = '0b6f4a52-6b0e-4b8e-9f0d-3f1f2d5c7a11'
    await call(own, '/v1/events', { body: event({ eventType: 'a b', conversationId }) })
    await call(own, '/v1/events', { body: event({ externalConversationId: 'chat-1', insertId: 'i-1' }) })
    await call(own, '/v1/events', { body: event({ sampleRate: 0 }) })
    const page = await browser.open(own, { hash: '#/events?q=type%3A%22a+b%22' })
    await page.getByText('1 listed').waitFor()
    const field = page.getByLabel('Search events')
    for (const [text, count] of [
      ['upgrade_purchased', 2],
      ['"a b"', 1],
      [`conversation:${conversationId.toUpperCase()}`, 1],
      ['conversation:chat-1', 1],
      ['external:chat-1', 1],
      ['insert:i-1', 1],
      ['sampled:out', 1],
      ['sampled:in', 2],
      [`product:${productId} sampled:in type:upgrade_purchased`, 1],
    ] as const) {
      await field.fill(text)
      await page.getByText(`${count} listed`).waitFor()
      await expect.poll(() => page.locator('.event-list tbody tr').count(), { message: text }).toBe(count)
    }
    await field.fill('insertId:x')
    await page.getByText('Unknown keyword "insertId:"').waitFor()
    await field.fill('product:x')
    await page.getByText('takes the UUID of a product').waitFor()
    await field.fill('type:none')
    await page.getByRole('heading', { name: 'No events match' }).waitFor()
    await field.fill('')
    await page.getByText('3 listed').waitFor()
    await page.getByRole('link', { name: 'chat-1' }).click()
    await page.getByText('1 listed').waitFor()
    expect(await field.inputValue()).toBe('conversation:chat-1')
  })

  test('keeps an event open, or opens it from a link, after newer events push it out of the list', async ({ own }) => {
    const id = textOf(await call(own, '/v1/events', { body: event({ eventType: 'first' }) }), 'eventId')
    const hash = `#/events/${id}`
    const page = await browser.open(own, { hash })
    await page.getByRole('heading', { name: 'first' }).waitFor()
    const newer = Array.from({ length: 201 }, (_, index) => event({ insertId: `i-${index}` }))
    await postAll(own.origin, '/v1/events', newer)
    await page.getByText('200 of 202 listed').waitFor()
    await page.getByRole('heading', { name: 'first' }).waitFor()
    const linkedPage = await browser.open(own, { hash })
    await linkedPage.getByText('200 of 202 listed').waitFor()
    await linkedPage.getByRole('heading', { name: 'first' }).waitFor()
    await linkedPage.goto(`${own.origin}/__sim/#/events/00000000-0000-4000-8000-000000000000`)
    await linkedPage.getByText('Event not found').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('202 listed', { exact: true }).waitFor()
    await page.keyboard.press('k')
    await page.getByText('insertId').first().waitFor()
  })

  test('shows updated indexes even if new requests keep arriving while the indexes load', async () => {
    const { own, page } = await browser.openNew('#/events')
    await page.getByText('No product has events yet').waitFor()
    await page.route('**/__sim/quality*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      await route.continue()
    })
    await call(own, '/v1/events', { body: event({ influence: 'positive' }) })
    // A client keeps sending requests until the page shows the index.
    const isShown = async () => {
      await call(own, '/v1/prompts', { body: prompt() })
      return page.getByRole('cell', { name: '0.600' }).isVisible()
    }
    await expect.poll(isShown, { interval: 200 }).toBe(true)
  })
})
