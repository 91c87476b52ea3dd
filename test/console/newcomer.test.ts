import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { childLimits } from '../support/child-limits.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

/** Runs a command that was copied from the page, and returns the output. */
async function runInShell(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], childLimits)
  return stdout
}

/** Presses keys in sequence, such as `j` and `Tab`. */
async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Uses the keyboard to switch on a 429 for requests like the open one, with a `Retry-After` longer than the test. */
async function switchRateLimitOn(page: Page): Promise<void> {
  const parameters = page.getByLabel('With parameters')
  await expect.poll(() => parameters.inputValue()).toBe('rate-limited;retry-after=1')
  await press(page, 's', 'Tab', 'End')
  await page.keyboard.type('20')
  await press(page, 'Tab', 'Backspace', 'Enter')
  expect(await parameters.inputValue()).toBe('rate-limited;retry-after=120')
  await page.getByText('Switched on the scenario in the sandbox default').waitFor()
}

const readCoverage = (page: Page) => page.locator('.contents-total .share').textContent()

/** Expects the Retries view to show a single chain with three attempts, and to name the broken rule. */
async function expectEarlyRetries(page: Page): Promise<void> {
  const chain = page.locator('.chain')
  await chain.getByText('retry problems').waitFor()
  expect([await chain.count(), await chain.locator('.attempt a').count()]).toEqual([1, 3])
  expect(await page.locator('.retry-rules .broken h3').textContent()).toContain('retry-after')
}

describeInBrowser('a newcomer', () => {
  test('can send a request, make later ones fail, see retries, stop the failures, and see the coverage', async () => {
    const sim = await startForTest({ clock: 'real' })
    const page = await browser.open(sim, { hash: '#/contract' })
    await page.locator('.contents-total').getByText('0 of').waitFor()
    const before = await readCoverage(page)

    await page.goto(`${sim.origin}/`)
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
    const line = (await page.locator('.command-line code').textContent()) ?? ''
    expect(await runInShell(line)).toContain('HTTP/1.1 201')
    const row = page.getByRole('row', { name: '/v1/events' })
    await row.waitFor()
    expect(await row.locator('.marks').textContent()).toBe('')

    await press(page, 'j')
    await page.getByText('No stage refuses the request').waitFor()
    await switchRateLimitOn(page)

    // Each command sends its attempt number, since identical requests without a number might not count as retries.
    for (let count = 0; count < 3; count++)
      expect(await runInShell(`${line} -H 'Retry-Attempt: ${count}'`)).toContain('HTTP/1.1 429')
    await page.getByRole('button', { name: '3 new' }).waitFor()
    await press(page, 'Escape', '2') // leaves the field and opens the Retries view
    await expectEarlyRetries(page)

    await page.locator('.attempt a').first().click()
    await page.getByText('Sandbox rule 1 applies').waitFor()
    await page.getByRole('link', { name: 'Switch the rule off' }).click()
    await page.getByText('applied 3×').waitFor()
    await page.getByRole('switch', { name: 'Enable rule 1' }).click()
    await page.locator('.rule.off').waitFor()
    expect(await runInShell(line)).toContain('HTTP/1.1 201')

    await page.getByRole('link', { name: 'Data', exact: true }).click()
    await page.getByRole('slider', { name: /^Conversation quality.*data for 30 of 30 days/ }).waitFor()
    await page.getByText(/^Conversation quality is .* and would be .* without events/).waitFor()
    expect(await page.locator('.event-effects tbody tr').first().textContent()).toBe('Web Shop0.700 +22')

    await page.getByRole('link', { name: 'Contract' }).click()
    await page.locator('.contents a', { hasText: '/events' }).click()
    await page.getByRole('link', { name: '5 requests' }).waitFor()
    expect(await page.locator('.response', { hasText: /^429/ }).locator('.item.met').count()).toBe(1)
    expect(before).toMatch(/^0 of (\d+) covered$/)
    expect(Number.parseInt((await readCoverage(page)) ?? '', 10)).toBeGreaterThan(5)
  })
})
