// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withStylesheet } from '../support/golden.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { findBrowserProblem, openBrowser } from './chromium.ts'

const problem = findBrowserProblem()
if (problem !== undefined)
  process.stderr.write(`The tests of the report on a test suite in a browser are skipped. ${problem}\n`)

/** The page that `test/cli/each.test.ts` writes, without its stylesheet. */
const golden = new URL('../suites/golden/suite.golden.html', import.meta.url)

let browser: Browser | undefined
beforeAll(async () => {
  if (problem === undefined) browser = await openBrowser()
})
afterAll(async () => browser?.close())

describe.skipIf(problem !== undefined)('the report on a test suite in a browser', () => {
  test.each([1280, 390, 320])('fits %i px, and fetches only itself', async (width) => {
    if (!browser) throw new Error('the browser is not open')
    const file = join(await tempFolder(), 'report.html')
    await writeFile(file, withStylesheet(await readFile(golden, 'utf8')))
    const url = pathToFileURL(file).href
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    const complaints: string[] = []
    const fetched: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('request', (request) => fetched.push(request.url()))
    await page.goto(url)
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(scrollWidth).toBeLessThanOrEqual(width)
    expect({ complaints, fetched }).toEqual({ complaints: [], fetched: [url] })
    await page.close()
  })
})
