import { test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { event } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { postAll } from '../support/pipelined.ts'
import { startForTest } from '../support/start.ts'

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
})
