// @module-tag long
import { expect } from 'vitest'
import { describeInBrowser, setHidden, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, call, event, modelId, textOf } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const generousTimeout = { timeout: 20_000 }

/** A page counts as quiet after this many milliseconds without requests, which is longer than any polling interval. */
const quietMs = 31_000

/** A page whose clock the test advances, and the control-plane paths that the page has requested. */
type WatchedPage = Awaited<ReturnType<typeof openWatched>>

/** Opens a view, and waits until the page stops sending requests. */
async function openWatched(sim: TestSimulator, hash: string) {
  const page = await browser.open(sim, { hash })
  const watched = { page, requested: [] as string[] }
  await page.clock.install()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const path = pathname.replace('/__sim', '')
    // The page's header polls the clock and the sandboxes, even while no client sends requests.
    if (!['/clock', '/sandboxes'].includes(path)) watched.requested.push(path)
  })
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await settle(watched)
  return watched
}

/** Advances the clock until the page has sent no requests for a while. Then clears the recorded paths. */
async function settle(watched: WatchedPage): Promise<void> {
  let count = -1
  const isQuiet = async () => {
    const isSame = watched.requested.length === count
    count = watched.requested.length
    await watched.page.clock.runFor(quietMs)
    return isSame && watched.requested.length === count
  }
  await expect.poll(isQuiet, generousTimeout).toBe(true)
  watched.requested = []
}

/** Advances the clock until the page has requested a path. */
async function runUntilRequested(watched: WatchedPage, path: string): Promise<void> {
  const readRequested = async () => {
    await watched.page.clock.runFor(200)
    return watched.requested
  }
  await expect.poll(readRequested, generousTimeout).toContain(path)
}

const send = (sim: TestSimulator) => call(sim, analyticsPath, { headers: { 'x-sim-scenario': '503' } })

describeInBrowser('a view', () => {
  test.each([
    { hash: '#/retries', path: '/retries' },
    { hash: '#/scenarios', path: '/scenarios' },
    { hash: `#/data/${modelId}`, path: '/explain' },
    { hash: '#/contract', path: '/coverage' },
  ])('at $hash fetches data only while visible, and only after a client sends a request', async ({ hash, path }) => {
    const own = await startForTest()
    await call(own, '/v1/events', { body: event() })
    const watched = await openWatched(own, hash)
    await send(own)
    await runUntilRequested(watched, path)
    await settle(watched)
    await setHidden(watched.page, true)
    await send(own)
    await watched.page.clock.runFor(10_000)
    expect(watched.requested).toEqual([])
    await setHidden(watched.page, false)
    await runUntilRequested(watched, path)
  })
})

describeInBrowser('the console', () => {
  test('lists no earlier requests after another client resets the sandbox', async ({ own }) => {
    for (let count = 0; count < 4; count += 1) await call(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('4 listed').waitFor()
    await callControl(own, 'POST', '/reset')
    await page.getByText('No requests yet').waitFor()
    await call(own, '/v1/events', { body: event() })
    await page.getByText('1 listed').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  test('no longer shows an event after another client restores a snapshot without it', async ({ own }) => {
    const snapshot = await call(own, '/__sim/snapshots', { method: 'POST', token: null })
    await call(own, '/v1/events', { body: event() })
    const { page } = await openWatched(own, '#/events')
    const isShown = async (text: string) => {
      await page.clock.runFor(6_000) // by then the page has checked for changes to the sandbox
      return page.getByText(text).first().isVisible()
    }
    await page.getByText('1 listed').waitFor()
    await callControl(own, 'POST', `/snapshots/${textOf(snapshot, 'snapshotId')}/restore`)
    await expect.poll(() => isShown('No events yet'), generousTimeout).toBe(true)
  })
})
