// @module-tag long
import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator()
const browser = sharedBrowser()

const model = 'm'.repeat(4_000)

describeInBrowser('a body of hundreds of thousands of characters', () => {
  test('is shown in part, and wholly after a click', async () => {
    const own = await startForTest()
    const text = 'x'.repeat(900_000)
    await ask(own, '/v1/events', { body: event({ properties: { note: text, inner: { note: 'x'.repeat(90_000) } } }) })
    const page = await browser.open(own, { place: '#/requests/req-1' })
    const detail = page.getByRole('region', { name: 'Request req-1' })
    const open = () => page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    await page.getByRole('heading', { name: 'Request body' }).waitFor()
    await open()
    await detail.getByText('note: ').first().waitFor()
    await open()
    const more = detail.getByRole('button', { name: 'Show all 900,002 characters' })
    await more.first().waitFor()
    expect(await page.evaluate<number>('document.querySelector(".request-detail").scrollHeight')).toBeLessThan(5_000)
    await more.first().click()
    await detail.getByText(text).waitFor()
  })
})

describeInBrowser('an id of thousands of characters', () => {
  test.each([
    { place: '#/requests/req-1', shown: 'Why' },
    { place: `#/world/${model}`, shown: 'A request for this model is answered 400 now' },
    { place: '#/retries?all=true', shown: '1 call failed' },
  ])('leaves room for the rest of the page at $shown', async ({ place, shown }) => {
    await ask(sim(), `/v1/models/${model}/analytics`)
    const page = await browser.open(sim(), { place })
    const box = await page.getByText(shown).first().boundingBox()
    expect(box?.y).toBeLessThan(400)
    const cut = await page.locator('.cut-off').first().boundingBox()
    expect((cut?.x ?? 0) + (cut?.width ?? 0)).toBeLessThan(1280)
  })
})
