import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { JsonObject } from '../../src/base/core/json.ts'
import { silentLog } from '../../src/base/core/log.ts'
import { defaultSettings } from '../../src/server/settings/settings.ts'
import { readSourceFiles } from '../architecture/source-files.ts'
import { openBrowser } from '../browser/chromium.ts'
import { event, prompt } from './client.ts'
import { callControl } from './control.ts'

/** A screenshot of the console. */
interface Screenshot {
  readonly name: string
  readonly hash: string
  readonly height: number
  readonly untilReady: (page: Page) => Promise<void>
}

const screenshots: readonly Screenshot[] = [
  {
    name: 'requests',
    hash: '#/requests',
    height: 640,
    async untilReady(page) {
      await page.locator('tbody tr', { hasText: 'violations' }).locator('td.path a').first().click()
      await page.locator('[data-open] .json-line.marked').first().waitFor()
      await page.locator('.why li').first().waitFor()
    },
  },
  { name: 'retries', hash: '#/retries', height: 630, untilReady: (page) => page.locator('.chain').nth(2).waitFor() },
]

const analytics = (model: number, period: string) =>
  [`/models/00000000-0000-4000-8000-00000000000${model}/analytics?period=${period}`, undefined] as const

const productId = '00000000-0000-4000-9000-000000000001'

const order = (insertId: string, fields: JsonObject = {}) =>
  [
    '/events',
    event({ eventType: 'order_completed', productId, insertId, eventAt: '2026-01-15T09:40:00Z', ...fields }),
  ] as const

/**
 * The traffic from a shop's backend. A scenario with commas is a sequence, which is sent again with each retry.
 * After each request, the sandbox's clock advances by the request's pause, so that the times are the same in each run.
 */
const traffic: readonly (readonly [pause: string, scenario: string, path: string, body: object | undefined])[] = [
  ['500ms', '500*2, 200', ...analytics(2, '7d')],
  ['1100ms', '500*2, 200', ...analytics(2, '7d')],
  ['800ms', '500*2, 200', ...analytics(2, '7d')],
  ['2400ms', 'unavailable;retry-after=2, 201', ...order('order-90815')],
  ['800ms', 'unavailable;retry-after=2, 201', ...order('order-90815')],
  ['900ms', 'lost-ack, 201', ...order('order-90816')],
  ['800ms', 'lost-ack, 201', ...order('order-90816-2')],
  ['4s', 'rate-limited;retry-after=30*2, 201', ...order('order-90817')],
  ['31s', 'rate-limited;retry-after=30*2, 201', ...order('order-90817')],
  ['800ms', 'rate-limited;retry-after=30*2, 201', ...order('order-90817')],
  ['340ms', '200', ...analytics(1, '30d')],
  ['340ms', '201', ...order('order-90818', { value: '39.90' })],
  ['340ms', 'wrong-type;pointer=/conversationCount', ...analytics(5, '90d')],
  ['340ms', '', '/modles/1/analytics', undefined],
  ['340ms', '', '/prompts', prompt({ role: 'support' })],
  ['340ms', 'rate-limited', ...analytics(3, '7d')],
  ['340ms', '', ...analytics(6, '30d')],
  ['340ms', '', ...order('order-90819', { productId: 'web-shop', value: 149, valueType: 'money' })],
  ['340ms', '', ...order('order-90820', { value: '12.50' })],
]

async function sendTraffic(origin: string, sandbox: string): Promise<void> {
  for (const [index, [pause, scenario, path, body]] of traffic.entries()) {
    const earlierAttempts = traffic.slice(0, index).filter(([, other]) => other === scenario && scenario.includes(','))
    const headers = {
      authorization: 'Bearer any-key',
      'user-agent': 'shop-backend/2.3',
      'x-sim-sandbox': sandbox,
      'x-stainless-retry-count': `${earlierAttempts.length}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(scenario && { [scenario.includes(',') ? 'x-sim-sequence' : 'x-sim-scenario']: scenario }),
    }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    // fetch rejects if the response is lost, as with "lost-ack".
    const response = await fetch(`${origin}/v1${path}`, init).catch(() => undefined)
    await response?.arrayBuffer()
    await callControl({ origin }, 'POST', `/clock/advance?sandbox=${sandbox}`, { by: pause })
  }
}

const folder = new URL('../../docs/images/', import.meta.url)

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
const { bundle } = await import('./bundle.ts')
const { start } = bundle.start()
const settings = { ...defaultSettings(), port: 0, state: ':memory:', clock: '2026-01-15T09:41:07.120Z' }
const started = await start(settings, { now: Date.now, log: silentLog })
if (!started.ok) throw new Error(JSON.stringify(started.error))
const browser = await openBrowser()
try {
  const { origin } = started.value
  await sendTraffic(origin, 'warm-up') // so that the durations in the screenshots are typical
  await sendTraffic(origin, 'default')
  await mkdir(folder, { recursive: true })
  const words: Record<string, readonly string[]> = {}
  for (const screenshot of screenshots) words[screenshot.name] = await takeScreenshot(browser, origin, screenshot)
  await writeFile(new URL('words.json', folder), `${JSON.stringify(words, null, 2)}\n`)
} finally {
  await browser.close()
  await started.value.close()
}

/** Takes a screenshot. Returns the lines of its text that are in the source code, so a test can detect stale images. */
async function takeScreenshot(browser: Browser, origin: string, { name, hash, height, untilReady }: Screenshot) {
  const page = await browser.newPage({ viewport: { width: 1280, height }, deviceScaleFactor: 1, colorScheme: 'light' })
  await page.goto(`${origin}/__sim/${hash}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await untilReady(page)
  await page.mouse.move(0, 0)
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, folder)), animations: 'disabled' })
  const lines = new Set((await page.locator('body').innerText()).split('\n').map((line) => line.trim()))
  await page.close()
  const sources = readSourceFiles().map(({ text }) => text)
  return [...lines].filter((line) => line.length > 3 && sources.some((text) => text.includes(line)))
}
