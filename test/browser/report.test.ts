// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runSampleSuite } from '../server/reports/sample-suite.ts'
import { withStylesheet } from '../support/golden.ts'
import { sharedSimulator } from '../support/shared.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { isMissing } from '../support/tools.ts'
import { openBrowser } from './chromium.ts'
import { openCrossOriginPage } from './cross-origin-page.ts'

const sim = sharedSimulator()
let browser: Browser | undefined

beforeAll(async () => {
  if (!isMissing('chromium')) browser = await openBrowser()
})
afterAll(async () => browser?.close())

interface Appearance {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

/** Opens a report, by default the sample suite's. Returns its page, console messages and errors, and request paths. */
async function openReport({ width, colorScheme }: Appearance, url = `${sim().origin}/__sim/report?format=html`) {
  if (!browser) throw new Error('the browser is not open')
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  onTestFinished(() => page.close())
  const messages: string[] = []
  const paths: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(error.message))
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  await page.goto(url)
  return { page, messages, paths }
}

/** Returns the lightness of the page's background and of its text, each from 0 to 255. */
async function measureLightness(page: Page): Promise<number[]> {
  const colors = await page.evaluate<string[]>(
    '(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.body))',
  )
  // Colors have the form rgb(20, 23, 26).
  return colors.map((rgb) => (rgb.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part) / 3, 0))
}

describe.skipIf(isMissing('chromium'))('in a browser, the report', () => {
  beforeAll(() => runSampleSuite(sim()))

  test.each<Appearance>([
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ])('is styled, fits $width px in $colorScheme mode, and loads no other files', async ({ width, colorScheme }) => {
    const { page, messages, paths } = await openReport({ width, colorScheme })
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    const size = await page.evaluate<string>("getComputedStyle(document.querySelector('.numbers b')).fontSize")
    expect(size).toBe('24px') // the content security policy allows the stylesheet
    const [background = 0, text = 0] = await measureLightness(page)
    expect(background > text).toBe(colorScheme === 'light')
    expect(Math.abs(background - text)).toBeGreaterThan(150)
    expect(messages).toEqual([])
    expect(paths.filter((path) => path !== '/favicon.ico')).toEqual(['/__sim/report'])
  })

  test.each([1280, 390, 320])('from `convsim each` fits %i px and loads no other files', async (width) => {
    const file = join(await tempFolder(), 'report.html')
    // `test/command-line/each.test.ts` writes this file without the report's stylesheet.
    const golden = new URL('../features/exec/golden/suite.golden.html', import.meta.url)
    await writeFile(file, withStylesheet(await readFile(golden, 'utf8')))
    const { page, messages, paths } = await openReport({ width, colorScheme: 'light' }, pathToFileURL(file).href)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect({ messages, paths }).toEqual({ messages: [], paths: [file] })
  })

  test('links each total to its section', async () => {
    const { page } = await openReport({ width: 1280, colorScheme: 'light' })
    for (const [key, title] of [
      ['violations', 'Violations'],
      ['unexpected', 'Unexpected responses'],
      ['retries', 'Retries'],
      ['coverage', 'Coverage'],
    ] as const) {
      await page.click(`.numbers a[href="#${key}"]`)
      expect(await page.textContent(`section:target h2`)).toBe(title)
    }
  })

  test('expands a list of missing items when clicked, and shows text from clients as plain text', async () => {
    const { page } = await openReport({ width: 1280, colorScheme: 'light' })
    const missing = page.getByText('No test has seen 429; send X-Sim-Scenario: rate-limited to get it.').first()
    expect(await missing.isVisible()).toBe(false)
    await page
      .getByText(/^getModelAnalytics: .* items/)
      .first()
      .click()
    expect(await missing.isVisible()).toBe(true)
    expect(await page.locator('script, img, iframe').count()).toBe(0)
  })

  test('cannot be framed by another page', async () => {
    const { page, origin } = await openCrossOriginPage(browser)
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement('iframe')
      frame.onload = resolve
      frame.src = '${sim().origin}/__sim/report?format=html'
      document.body.append(frame)
    })`)
    expect(page.frames().map((frame) => frame.url())).toEqual([`${origin}/`, 'chrome-error://chromewebdata/'])
  })
})
