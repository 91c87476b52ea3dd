// @module-tag long
import { expect } from 'vitest'
import { describeInBrowser, setHidden, sharedBrowser, test } from '../support/browser.ts'
import { analyticsPath, ask, event, modelId, textOf } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

const patience = { timeout: 20_000 }

/** More than the milliseconds for which a page rests at most before it asks again. */
const longestRestMs = 31_000

/** A page whose time the test moves, with the paths of the control plane that it asks. */
type WatchedPage = Awaited<ReturnType<typeof openWatched>>

/** Opens a view, and waits until it asks nothing more. */
async function openWatched(sim: TestSimulator, place: string) {
  const page = await browser.open(sim, { place })
  const watched = { page, asked: [] as string[] }
  await page.clock.install()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const path = pathname.replace('/__sim', '')
    // The head of the page reads clock and sandboxes, which no request need change.
    if (!['/clock', '/sandboxes'].includes(path)) watched.asked.push(path)
  })
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await settle(watched)
  return watched
}

/** Lets time pass until nothing is asked for a while, and forgets what was asked. */
async function settle(watched: WatchedPage): Promise<void> {
  let count = -1
  const isQuiet = async () => {
    const isSame = watched.asked.length === count
    count = watched.asked.length
    await watched.page.clock.runFor(longestRestMs)
    return isSame && watched.asked.length === count
  }
  await expect.poll(isQuiet, patience).toBe(true)
  watched.asked = []
}

/** Lets time pass until the page has asked for a path. */
async function runUntilAsked(watched: WatchedPage, path: string): Promise<void> {
  const hasAsked = async () => {
    await watched.page.clock.runFor(200)
    return watched.asked
  }
  await expect.poll(hasAsked, patience).toContain(path)
}

const send = (sim: TestSimulator) => ask(sim, analyticsPath, { headers: { 'x-sim-scenario': '503' } })

describeInBrowser('a view asks the control plane', () => {
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
    await runUntilAsked(watched, path)
    await settle(watched)
    await setHidden(watched.page, true)
    await send(own)
    await watched.page.clock.runFor(10_000)
    expect(watched.asked).toEqual([])
    await setHidden(watched.page, false)
    await runUntilAsked(watched, path)
  })
})

describeInBrowser('the console follows another client', () => {
  test('that resets the sandbox: the list has only requests in the journal', async ({ own }) => {
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
      await page.clock.runFor(6_000) // by then the page has looked for changes of the sandbox
      return page.getByText(text).first().isVisible()
    }
    await page.getByText('1 listed').waitFor()
    await steer(own, 'POST', `/snapshots/${textOf(taken, 'snapshotId')}/restore`)
    await expect.poll(() => isShown('No events yet'), patience).toBe(true)
  })
})
