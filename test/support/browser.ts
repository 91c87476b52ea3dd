import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openBrowser } from '../browser/chromium.ts'
import { startForTest, type TestSimulator } from './start.ts'
import { isMissing } from './tools.ts'

export { test } from './start.ts'

/** Describes tests that need a browser. Without one on this machine they are skipped, in CI they fail. */
export const describeInBrowser = describe.skipIf(isMissing('chromium'))

/** The appearance of a page, and the place in the console. */
export interface PageOptions {
  /** The place: `#/requests?q=status:4xx`. Default: none, which leads to the first view. */
  readonly place?: string
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

/** Opens pages of the console in one browser for all tests of a file. Each page is closed at the end of the file. */
export function sharedBrowser() {
  let browser: Browser | undefined
  const complaints: string[] = []
  beforeAll(async () => {
    if (!isMissing('chromium')) browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    expect(complaints, 'errors, warnings and refused content of the pages').toEqual([])
  })
  const pages = {
    /** Opens the console. The file fails if a page logs an error, breaks its policy or fetches from elsewhere. */
    async open({ origin }: Pick<TestSimulator, 'origin'>, options: PageOptions = {}): Promise<Page> {
      if (!browser) throw new Error('the browser is not open')
      const { place = '', width = 1280, height = 800, colorScheme = 'light' } = options
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      const page = await context.newPage()
      page.on('console', (message) => {
        // The browser itself logs each response above 399, and each connection that fails.
        if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.stack ?? error.message))
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) complaints.push(request.url())
      })
      await page.goto(`${origin}/__sim/${place}`)
      return page
    },

    /** Starts a simulator for one test, and opens its console at a place. */
    async openNew(place = '', settings: Parameters<typeof startForTest>[0] = {}) {
      const own = await startForTest(settings)
      return { own, page: await pages.open(own, { place }) }
    },
  }
  return pages
}

/** Makes a page believe that it is hidden or visible; a headless browser hides no page. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`,
  )
}
