import autocannon from 'autocannon'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../browser/chromium.ts'
import { newEvent, warmAnalytics } from './requests.ts'
import { median } from './table.ts'
import { withSimulator } from './targets.ts'

/**
 * Prints the time until the console is first painted, then sends 100 requests a second for ten minutes (MINUTES) while
 * the console lists them: `npm run bench:console`. Prints each half minute the page's memory and nodes after a garbage
 * collection, which must stay constant, its frames, and the time that ten keys took to appear. MINUTES=0: the first
 * paint alone.
 */
const minutes = Number(process.env['MINUTES'] ?? 10)
const stepSeconds = 30
const requestsPerSecond = 100

/** Loads of the page whose first paint is measured, with an empty cache and with a full one. */
const loads = 9

/** Waits for the first paint of content, and returns its milliseconds since the navigation. */
const readFirstPaint = `new Promise((resolve) => {
  const read = (list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0]
    if (paint) resolve(paint.startTime)
  }
  new PerformanceObserver(read).observe({ type: 'paint', buffered: true })
})`

/** Counts the frames since it ran last. */
const countFrames = `(() => {
  const frames = self.drawnFrames ?? 0
  self.drawnFrames = 0
  const count = () => { self.drawnFrames += 1; requestAnimationFrame(count) }
  if (self.isCounting === undefined) { self.isCounting = true; requestAnimationFrame(count) }
  return frames
})()`

/** The most that the heap may have grown at the end, as a multiple of the heap of the first half minute. */
const maxHeapGrowth = 2

await withSimulator(async ({ url }) => {
  const { origin } = new URL(url)
  const browser = await openBrowser()
  try {
    await measureFirstPaint(browser, `${origin}/__sim/`)
    if (minutes === 0) return
    const page = await browser.newPage({ viewport: { width: 1024, height: 800 } })
    await page.goto(`${origin}/__sim/`)
    await page.getByText('Live', { exact: true }).waitFor()
    const load = autocannon({
      url: origin,
      connections: 4,
      overallRate: requestsPerSecond,
      duration: minutes * 60,
      requests: [warmAnalytics, newEvent()].map((request) => ({ ...request, path: `/v1${request.path}` })),
    })
    await measure(page)
    await load
  } finally {
    await browser.close()
  }
})

/** Prints the medians of the milliseconds until the first paint, with an empty and with a full cache of the browser. */
async function measureFirstPaint(browser: Browser, url: string): Promise<void> {
  const cold: number[] = []
  const warm: number[] = []
  for (let load = 0; load < loads; load += 1) {
    const context = await browser.newContext({ viewport: { width: 1024, height: 800 } })
    const page = await context.newPage()
    await page.goto(url)
    cold.push(await page.evaluate<number>(readFirstPaint))
    await page.reload()
    warm.push(await page.evaluate<number>(readFirstPaint))
    await context.close()
  }
  console.log(
    `first paint, medians of ${loads} loads (at most 200 ms): ` +
      `${median(cold).toFixed(0)} ms cold, ${median(warm).toFixed(0)} ms warm`,
  )
}

/** Prints the figures of each half minute. Sets the exit code 1 if the page holds ever more. */
async function measure(page: Page): Promise<void> {
  const heaps: number[] = []
  const devTools = await page.context().newCDPSession(page)
  const search = page.getByLabel('Search requests')
  await page.evaluate(countFrames)
  for (let second = stepSeconds; second <= minutes * 60; second += stepSeconds) {
    await page.waitForTimeout(stepSeconds * 1000)
    const frames = (await page.evaluate<number>(countFrames)) / stepSeconds
    await devTools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devTools.send('Runtime.getHeapUsage')
    heaps.push(usedSize)
    const { nodes } = await devTools.send('Memory.getDOMCounters')
    const before = performance.now()
    await search.pressSequentially('status:201')
    const typed = performance.now() - before
    await search.fill('')
    console.log(
      `${second} s: heap ${(usedSize / 1e6).toFixed(1)} MB, ${nodes} nodes, ${frames.toFixed(0)} frames/s, ` +
        `ten keys in ${typed.toFixed(0)} ms`,
    )
  }
  const [first = 0] = heaps
  if ((heaps.at(-1) ?? 0) <= maxHeapGrowth * first) return
  console.error('The heap of the page has grown: it holds what it does not show.')
  process.exitCode = 1
}
