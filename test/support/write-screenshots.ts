import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { defaultSettings } from '../../src/config/settings.ts'
import { silentLog } from '../../src/core/log.ts'
import { openBrowser } from '../browser/chromium.ts'
import { sendTraffic } from './screenshot-traffic.ts'

/** A picture of the console: the name of its file, the place, and what must be on the page. */
interface Screenshot {
  readonly name: string
  readonly place: string
  readonly height: number
  readonly isReady: (page: Page) => Promise<void>
}

const screenshots: readonly Screenshot[] = [
  {
    name: 'requests',
    place: '#/requests',
    height: 640,
    async isReady(page) {
      await page.locator('tbody tr', { hasText: 'violations' }).locator('td.path a').first().click()
      await page.locator('.request-detail .json-line.marked').first().waitFor()
      await page.locator('.why li').first().waitFor()
    },
  },
  { name: 'retries', place: '#/retries', height: 630, isReady: (page) => page.locator('.chain').nth(3).waitFor() },
]

const folder = new URL('../../docs/images/', import.meta.url)

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
const { start }: typeof import('../../src/simulator/start.ts') = await import(
  new URL('../../dist/start.js', import.meta.url).href
)
const settings = { ...defaultSettings(), port: 0, state: ':memory:', clock: '2026-01-15T09:41:07.120Z' }
const started = await start(settings, { now: Date.now, log: silentLog })
if (!started.ok) throw new Error(JSON.stringify(started.error))
const browser = await openBrowser()
try {
  const { origin } = started.value
  await sendTraffic({ origin, sandbox: 'warm-up' }) // so that the durations are those of a server in use
  await sendTraffic({ origin, sandbox: 'default' })
  await mkdir(folder, { recursive: true })
  for (const screenshot of screenshots) await take(browser, origin, screenshot)
} finally {
  await browser.close()
  await started.value.close()
}

async function take(browser: Browser, origin: string, { name, place, height, isReady }: Screenshot) {
  const page = await browser.newPage({ viewport: { width: 1280, height }, deviceScaleFactor: 1, colorScheme: 'light' })
  await page.goto(`${origin}/__sim/${place}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await isReady(page)
  await page.mouse.move(0, 0)
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, folder)), animations: 'disabled' })
  await page.close()
}
