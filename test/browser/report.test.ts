import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSampleSuite } from '../reports/sample-suite.ts'
import { sharedSimulator } from '../support/shared.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'

const absent = whyNoBrowser()
if (absent !== undefined)
  process.stderr.write(`The tests of the report in a browser are left out. ${absent}\n`)

const sim = sharedSimulator()
let browser: Browser | undefined

beforeAll(async () => {
  if (absent === undefined) browser = await openBrowser()
})
afterAll(async () => browser?.close())

interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

/** The report of the sample suite as somebody sees it, with everything that the page complains of or fetches. */
async function look({ width, colorScheme }: Look) {
  if (!browser) throw new Error('the browser is not open')
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const complaints: string[] = []
  const fetched: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  await page.goto(`${sim().origin}/__sim/report?format=html`)
  return { page, complaints, fetched }
}

/** Lightness of the page's ground and ink, from 0 to 255. */
async function lightness(page: Page): Promise<{ ground: number; ink: number }> {
  const [ground = '', ink = ''] = await page.evaluate<string[]>(
    '(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.body))',
  )
  return { ground: mean(ground), ink: mean(ink) }
}

/** Of the three parts of `rgb(20, 23, 26)`. */
function mean(rgb: string): number {
  return (rgb.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, one) => sum + Number(one), 0) / 3
}

describe.skipIf(absent !== undefined)('the report in a browser', () => {
  beforeAll(() => runSampleSuite(sim()))

  test.each<Look>([
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ])('fits $width px in $colorScheme, and fetches nothing but itself', async ({ width, colorScheme }) => {
    const { page, complaints, fetched } = await look({ width, colorScheme })
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(wide).toBeLessThanOrEqual(width)
    const { ground, ink } = await lightness(page)
    expect(ground > ink).toBe(colorScheme === 'light')
    expect(Math.abs(ground - ink)).toBeGreaterThan(150)
    expect(complaints).toEqual([])
    expect(fetched.filter((path) => path !== '/favicon.ico')).toEqual(['/__sim/report'])
    await page.close()
  })

  test('leads from the figures to what is behind them', async () => {
    const { page } = await look({ width: 1280, colorScheme: 'light' })
    for (const [key, title] of [
      ['violations', 'Violations'],
      ['unexpected', 'Unexpected answers'],
      ['manners', 'Manners'],
      ['coverage', 'Coverage'],
    ] as const) {
      await page.click(`.figures a[href="#${key}"]`)
      expect(await page.textContent(`section:target h2`)).toBe(title)
    }
    await page.close()
  })

  test('opens what is missing, and shows what a client sent as text', async () => {
    const { page } = await look({ width: 1280, colorScheme: 'light' })
    const missing = page.getByText('No test has seen 429; X-Sim-Scenario: rate-limited shows it.').first()
    expect(await missing.isVisible()).toBe(false)
    await page
      .getByText(/missing, and how to meet them/)
      .first()
      .click()
    expect(await missing.isVisible()).toBe(true)
    expect(await page.locator('script, img, iframe').count()).toBe(0)
    await page.close()
  })

  test('names every image for those who do not see it', async () => {
    const { page } = await look({ width: 1280, colorScheme: 'dark' })
    const unnamed = await page.locator('[role="img"]:not([aria-label$=" %"])').count()
    expect(unnamed).toBe(0)
    expect(await page.locator('[role="img"]').count()).toBe(4)
    await page.close()
  })
})
