import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { openBrowser } from '../browser/chromium.ts'
import { call, event } from './client.ts'
import { startForTest, type TestSimulator } from './start.ts'
import { isMissing } from './tools.ts'

export { test } from './start.ts'

/** Like `describe`, for tests that need Chromium. If Chromium is missing, they are skipped; in CI, `npm test` fails. */
export const describeInBrowser = describe.skipIf(isMissing('chromium'))

/** The appearance of a page, and the fragment of its URL. */
export interface PageOptions {
  /** The fragment, which selects the view, such as `#/requests?q=status:4xx`. Default: the first view. */
  readonly hash?: string
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

/** Shares a browser among a file's tests, which open console pages in it. Closes it after the last test. */
export function sharedBrowser() {
  let browser: Browser | undefined
  const problems: string[] = []
  beforeAll(async () => {
    if (!isMissing('chromium')) browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    expect(problems, 'errors and logged messages on the pages, and requests to other origins').toEqual([])
  })
  const pages = {
    /** Opens the console. Errors, logged messages and requests to other origins make the test file fail. */
    async open({ origin }: Pick<TestSimulator, 'origin'>, options: PageOptions = {}): Promise<Page> {
      if (!browser) throw new Error('the browser is not open')
      const { hash = '', width = 1280, height = 800, colorScheme = 'light' } = options
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      const page = await context.newPage()
      page.on('console', (message) => {
        // The browser itself logs each response with a status of 400 or above, and each failed connection.
        if (!message.text().startsWith('Failed to load resource')) problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) problems.push(request.url())
      })
      await page.goto(`${origin}/__sim/${hash}`)
      return page
    },

    /** Starts a simulator for one test and opens its console at a URL fragment. */
    async openNew(hash = '', settings: Parameters<typeof startForTest>[0] = {}) {
      const own = await startForTest(settings)
      return { own, page: await pages.open(own, { hash }) }
    },
  }
  return pages
}

/** Clicks the button with exactly this name. */
export const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

export const readClipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

/** Returns the text of each matching element, without waiting for one to appear. */
export const textsOf = (page: Page, selector: string) => page.locator(selector).allTextContents()

/** Clicks a button to close a confirmation dialog. Returns the items that, according to the dialog, would be lost. */
export async function closeDialog(page: Page, title: string, action: string): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.waitFor()
  const losses = await dialog.getByRole('listitem').allTextContents()
  await dialog.getByRole('button', { name: action, exact: true }).click()
  return losses
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** Expects axe to find no problems. Uses `evaluate`, since the Content-Security-Policy blocks injected scripts. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  const findings = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 200)}: ${failureSummary}`),
  )
  expect(findings).toEqual([])
}

export const openDetails = (page: Page) =>
  page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')

/** Sends events one after another, with additional fields. Returns the response statuses. */
export async function sendEvents(sim: TestSimulator, count: number, fields: JsonObject = {}, sandbox = 'default') {
  const statuses: number[] = []
  for (let sent = 0; sent < count; sent++)
    statuses.push((await call(sim, '/v1/events', { body: event(fields), sandbox })).status)
  return statuses
}

/** Makes a page appear hidden or visible to its scripts, since a headless browser never hides a page. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`,
  )
}
