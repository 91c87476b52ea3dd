import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { postAll } from '../support/pipelined.ts'
import { startForTest, startWatched } from '../support/start.ts'

const browser = sharedBrowser()

describeInBrowser('the console shows', () => {
  test('an event of a link that is older than all that are listed', async () => {
    const own = await startForTest()
    await postAll(
      own.origin,
      '/v1/events',
      Array.from({ length: 210 }, (_, index) => event({ eventType: `type ${index}` })),
    )
    const { events } = await steer(own, 'GET', '/events?limit=1')
    const [oldest] = events as { eventId: string; fields: { eventType: string } }[]
    const page = await browser.open(own, { place: `#/events/${oldest?.eventId}` })
    await page.getByText('200 of 210 listed').waitFor()
    await page.getByRole('heading', { name: oldest?.fields.eventType ?? '' }).waitFor()
    await page.goto(`${own.origin}/__sim/#/events/00000000-0000-4000-8000-000000000000`)
    await page.getByText('There is no such event').waitFor()
  })

  test('that an open request belongs to the simulator before a restart, and the new one on demand', async () => {
    const first = await startWatched()
    await ask(first, '/v1/events', { body: event({ eventType: 'before' }) })
    const page = await browser.open(first, { place: '#/requests/req-1' })
    const detail = page.getByRole('region', { name: 'Request req-1' })
    await detail.getByText('"before"').waitFor()
    await first.close()
    await page.getByRole('alert').getByText('does not answer').waitFor()
    const second = await startForTest({ port: Number(new URL(first.origin).port) })
    await ask(second, '/v1/events', { body: event({ eventType: 'after' }) })
    await page.getByText('belongs to the simulator before the restart').waitFor()
    expect(await detail.getByText('"before"').isVisible()).toBe(true)
    expect(await detail.getByRole('button', { name: 'Copy as curl' }).isDisabled()).toBe(true)
    expect(await page.locator('tr.open').count()).toBe(0)
    await page.getByRole('button', { name: 'Show it' }).click()
    await detail.getByText('"after"').waitFor()
    expect(await detail.getByRole('button', { name: 'Copy as curl' }).isDisabled()).toBe(false)
    expect(await page.getByText('belongs to the simulator before the restart').count()).toBe(0)
  })
})
