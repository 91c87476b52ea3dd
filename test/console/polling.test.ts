// @module-tag long
import { expect } from 'vitest'
import { describeInBrowser, setHidden, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, ask, event, modelId, textOf } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const patience = { timeout: 20_000 }

/** Milliseconds; longer than the longest pause of a page between two requests. */
const longestRestMs = 31_000

/** A page whose clock the test advances, with the control-plane paths that it requests. */
type WatchedPage = Awaited<ReturnType<typeof openWatched>>

/** Opens a view, and waits until it sends no more requests. */
async function openWatched(sim: TestSimulator, place: string) {
  const page = await browser.open(sim, { place })
  const watched = { page, requested: [] as string[] }
  await page.clock.install()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const path = pathname.replace('/__sim', '')
    // The page header reads the clock and the sandboxes, even if no request changes them.
    if (!['/clock', '/sandboxes'].includes(path)) watched.requested.push(path)
  })
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await settle(watched)
  return watched
}

/** Lets time pass until the page sends no requests for a while, and clears the recorded paths. */
async function settle(watched: WatchedPage): Promise<void> {
  let count = -1
  const isQuiet = async () => {
    const isSame = watched.requested.length === count
    count = watched.requested.length
    await watched.page.clock.runFor(longestRestMs)
    return isSame && watched.requested.length === count
  }
  await expect.poll(isQuiet, patience).toBe(true)
  watched.requested = []
}

/** Lets time pass until the page has requested a path. */
async function runUntilRequested(watched: WatchedPage, path: string): Promise<void> {
  const readRequested = async () => {
    await watched.page.clock.runFor(200)
    return watched.requested
  }
  await expect.poll(readRequested, patience).toContain(path)
}

const send = (sim: TestSimulator) => ask(sim, analyticsPath, { headers: { 'x-sim-scenario': '503' } })

describeInBrowser('a view requests data', () => {
  test.each([
    { place: '#/retries', path: '/retries' },
    { place: '#/scenarios', path: '/scenarios' },
    { place: `#/data/${modelId}`, path: '/explain' },
    { place: '#/contract', path: '/coverage' },
  ])('at $place only while it is shown, and only after a request was handled', async ({ place, path }) => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: event() })
    const watched = await openWatched(own, place)
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

describeInBrowser('the console follows another client', () => {
  test('that resets the sandbox, and lists only requests in the journal', async ({ own }) => {
    for (let count = 0; count < 4; count += 1) await ask(own, '/v1/events', { body: event() })
    const page = await browser.open(own)
    await page.getByText('4 listed').waitFor()
    await steer(own, 'POST', '/reset')
    await page.getByText('No requests yet').waitFor()
    await ask(own, '/v1/events', { body: event() })
    await page.getByText('1 listed').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  test('that restores a snapshot, in the events', async ({ own }) => {
    const taken = await ask(own, '/__sim/snapshots', { method: 'POST', token: null })
    await ask(own, '/v1/events', { body: event() })
    const { page } = await openWatched(own, '#/events')
    const isShown = async (text: string) => {
      await page.clock.runFor(6_000) // by then the page has checked for changes of the sandbox
      return page.getByText(text).first().isVisible()
    }
    await page.getByText('1 listed').waitFor()
    await steer(own, 'POST', `/snapshots/${textOf(taken, 'snapshotId')}/restore`)
    await expect.poll(() => isShown('No events yet'), patience).toBe(true)
  })
})
