// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describeInBrowser, expectAccessible, sharedBrowser, test, textsOf } from '../support/browser.ts'
import { analyticsPath, call, event } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

/** Sends an event and requests a sequence of responses. All attempts at a call must request the same sequence. */
const send = (sim: TestSimulator, sequence: string, insertId: string, headers: Record<string, string> = {}) =>
  call(sim, '/v1/events', {
    body: event({ insertId, eventAt: '2026-01-15T12:00:00Z' }),
    headers: { 'x-sim-sequence': sequence, ...headers },
    may500: true,
  })

const advance = (sim: TestSimulator, ms: number) => callControl(sim, 'POST', '/clock/advance', { by: `${ms}ms` })

/** Returns the left and right edges of the first matching element, in pixels. */
async function edgesOf(page: Page, selector: string): Promise<{ left: number; right: number }> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not shown`)
  return { left: box.x, right: box.x + box.width }
}

describeInBrowser('the retries view', () => {
  test('suggests a failing request if there are no retries yet, and then shows its retries', async () => {
    const { own, page } = await browser.openNew('#/retries')
    await page.getByText('No retries yet').waitFor()
    const line = await page.locator('.command-line code').textContent()
    expect(line).toContain(`${own.origin}/v1/events`)
    expect(line).toContain('X-Sim-Scenario: rate-limited;retry-after=5')
    for (let count = 0; count < 2; count++) {
      const response = page.waitForResponse(/\/v1\/events$/)
      await page.getByRole('button', { name: 'Send it' }).click()
      await response
    }
    await page.locator('.chain').getByText('retry problems').waitFor()
    expect(await page.locator('.chain').count()).toBe(1)
  })

  test('draws the requested wait and marks an attempt that comes too early', async ({ own }) => {
    const sequence = 'rate-limited;retry-after=60*2, 201'
    await send(own, sequence, 'early')
    await send(own, sequence, 'early')
    await advance(own, 90_000)
    await send(own, sequence, 'early')
    const page = await browser.open(own, { hash: '#/retries' })
    await page.locator('.attempt').nth(2).waitFor()
    expect(await textsOf(page, '.attempt a')).toEqual(['Attempt 1,  429', 'Attempt 2, ✕ 429', 'Attempt 3,  201'])
    expect(await textsOf(page, '.attempt > span')).toEqual([
      expect.stringMatching(/^waited only .* of 1 min$/),
      'waited 1 min 30 s; 1 min requested',
      'succeeded',
    ])
    expect(await page.locator('.faults').textContent()).toBe(
      'Attempt 2: A 429 asked for a wait of 60 s, but the client retried sooner.',
    )
    const [demanded, missed, faulty] = await Promise.all(
      ['.track .demanded', '.track .missed', '.attempt a.faulty'].map((selector) => edgesOf(page, selector)),
    )
    expect(demanded?.right).toBeCloseTo(faulty?.left ?? 0, 0)
    expect(missed?.left).toBeCloseTo(faulty?.left ?? 0, 0)
    expect(missed?.right).toBeGreaterThan((faulty?.left ?? 0) + 20)
    await expectAccessible(page)
  })

  test('says that the last attempt was refused', async ({ own }) => {
    await send(own, '500, 403', 'refused')
    await advance(own, 500)
    await send(own, '500, 403', 'refused')
    const page = await browser.open(own, { hash: '#/retries' })
    await page.locator('.attempt').nth(1).waitFor()
    expect(await textsOf(page, '.attempt > span')).toEqual([expect.stringMatching(/^waited /), 'refused'])
  })

  test('marks a retry with a different insertId', async ({ own }) => {
    await send(own, '500, 201', 'first-id', { 'retry-attempt': '0' })
    await advance(own, 500)
    await send(own, '500, 201', 'second-id', { 'retry-attempt': '1' })
    const page = await browser.open(own, { hash: '#/retries' })
    await page.locator('.attempt .bad').getByText('then insertId second-id').waitFor()
    expect(await page.locator('.chain header code').textContent()).toBe('first-id')
    const broken = page.locator('.retry-rules .broken')
    expect(await broken.count()).toBe(1)
    expect(await broken.textContent()).toContain(
      'An event that is resent after a 5xx or a lost response must keep its insertId.',
    )
    expect(await broken.locator('a').allTextContents()).toEqual(['req-1', 'req-2'])
  })

  test('says how attempts failed and which calls have no retry problem, and lists unretried calls on demand', async ({
    own,
  }) => {
    await call(own, analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } })
    await expect(send(own, 'reset, 201', 'calm')).rejects.toThrow()
    await advance(own, 1_500)
    await send(own, 'reset, 201', 'calm')
    const page = await browser.open(own, { hash: '#/retries' })
    await page.locator('.attempt a').first().getByText('reset').waitFor()
    await page.getByText('1 call retried.').waitFor()
    await page.locator('.chain').getByText('no retry problem').waitFor()
    expect(await page.locator('.chain').count()).toBe(1)
    const untested = page.locator('.retry-rules h3', { hasText: 'not tested yet' }).locator('code')
    await expect.poll(() => untested.allTextContents()).toEqual(['retry-after', 'no-retry'])
    await page.keyboard.press('a')
    await page.getByText('2 calls failed.').waitFor()
    expect(page.url()).toContain('all=true')
  })

  test('shows the calls in one sandbox, or the calls in all sandboxes, labeled by sandbox', async ({ own }) => {
    for (const name of ['one', 'two']) await send(own, '503', `in-${name}`, { 'x-sim-sandbox': name })
    const page = await browser.open(own, { hash: '#/retries?all=true&sandbox=one' })
    await page.locator('.chain').getByText('in-one').waitFor()
    expect(await page.locator('.chain').count()).toBe(1)
    await page.getByLabel('Sandbox').selectOption('*')
    await page.locator('.chain').getByText('in-two').waitFor()
    expect(await textsOf(page, '.chain header b')).toEqual(['two ', 'one '])
  })
})
