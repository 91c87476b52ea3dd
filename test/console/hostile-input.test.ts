// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { click, closeDialog, describeInBrowser, openDetails, sharedBrowser, test } from '../support/browser.ts'
import { call, event, textOf } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import type { TestSimulator } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'

const sim = sharedSimulator()
const browser = sharedBrowser()

const openAt = (sim: TestSimulator, path: string) => browser.open(sim, { hash: `#/${path}` })

/** Returns true if the browser considers the value of a field valid. */
const isValid = (page: Page, label: string) =>
  page
    .getByLabel(label, { exact: true })
    .evaluate((field) => (field as unknown as { checkValidity(): boolean }).checkValidity())

describeInBrowser('the console', () => {
  test('does not create or show a sandbox whose name is empty, too long or unsafe', async ({ own }) => {
    const page = await openAt(own, 'sandboxes')
    for (const name of ['', 'a/b', '../default', 'x'.repeat(65), '<b>', ' ']) {
      await page.getByLabel('Name of the new sandbox').fill(name)
      expect(await isValid(page, 'Name of the new sandbox'), name).toBe(false)
      await click(page, 'Create')
    }
    expect(page.url()).not.toContain('sandbox=')
    expect((await listSandboxes(own)).filter(({ name }) => name !== 'default')).toEqual([])
    await page.goto(`${own.origin}/__sim/#/scenarios?sandbox=a%2Fb`)
    await page.getByRole('heading', { name: 'The sandbox name in the URL is not valid' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'default', exact: true }).click()
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor()
  })

  test('applies a typed date only when the date is complete, and rejects the year 1', async ({ own }) => {
    const page = await openAt(own, 'data')
    const day = page.getByLabel('Clock date')
    await day.focus()
    await page.keyboard.type('03042027')
    await page.keyboard.press('Enter')
    await expect.poll(() => callControl(own, 'GET', '/clock')).toMatchObject({ now: '2027-03-04T12:00:00.000Z' })
    expect(await page.locator('.notice').count()).toBe(0)
    const fillAgain = () => day.fill('0001-01-01') // a pending response about the clock can still reset the field
    await expect.poll(() => fillAgain().then(() => isValid(page, 'Clock date'))).toBe(false)
    await page.keyboard.press('Enter')
    expect(await callControl(own, 'GET', '/clock')).toMatchObject({ now: '2027-03-04T12:00:00.000Z' })
  })

  test('accepts printable ASCII text without spaces as a seed, but no other text', async ({ own }) => {
    for (const [view, action] of [
      ['data', 'Set'],
      ['sandboxes', 'Change'],
    ] as const) {
      const page = await openAt(own, view)
      const seed = page.getByLabel('Seed', { exact: true })
      for (const bad of ['', 'two words', 'ä']) {
        await seed.fill(bad)
        expect(await isValid(page, 'Seed'), bad).toBe(false)
      }
      await seed.fill(`no-number-${view}`)
      await click(page, action)
      await page.getByText(`The seed of the sandbox default is now no-number-${view}.`).waitFor()
    }
  })

  test('says that a snapshot is gone if it is deleted before the user confirms the restore', async ({ own }) => {
    const snapshotId = textOf(await call(own, '/__sim/snapshots', { token: null, body: { name: 'one' } }), 'snapshotId')
    await call(own, '/v1/events', { body: event() })
    const page = await openAt(own, 'sandboxes')
    await click(page, 'Restore… one')
    await callControl(own, 'DELETE', `/snapshots/${snapshotId}`)
    await closeDialog(page, 'Restore the snapshot one?', 'Restore')
    await page.locator('.notice', { hasText: 'snapshot' }).first().waitFor()
    await page.getByRole('button', { name: 'Restore… one' }).waitFor({ state: 'detached' })
    expect(await callControl(own, 'GET', '/events')).toMatchObject({ total: 1 })
  })

  test('does not switch on a scenario if a number in the form is not valid', async ({ own }) => {
    const page = await openAt(own, 'scenarios/slow')
    for (const [label, value] of [
      ['ms (ms)', '-1'],
      ['times', '0.5'],
      ['probability', '2'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(value)
      expect(await isValid(page, label), label).toBe(false)
      await click(page, 'Switch on')
      await page.getByLabel(label, { exact: true }).fill('')
    }
    expect(await callControl(own, 'GET', '/scenarios')).toMatchObject({ rules: [] })
  })
})

describeInBrowser('text of thousands of characters', () => {
  test('in a body is truncated, but is shown in full after a click', async ({ own }) => {
    const text = 'x'.repeat(400_000)
    await call(own, '/v1/events', { body: event({ properties: { note: text, inner: { note: 'x'.repeat(90_000) } } }) })
    const page = await browser.open(own, { hash: '#/requests/req-1' })
    const detail = page.getByRole('region', { name: 'Request req-1' })
    await page.getByRole('heading', { name: 'Request body' }).waitFor()
    await openDetails(page)
    await detail.getByText('note: ').first().waitFor()
    await openDetails(page)
    const more = detail.getByRole('button', { name: 'Show all 400,002 characters' })
    await more.first().waitFor()
    expect(await page.evaluate<number>('document.querySelector("[data-open]").scrollHeight')).toBeLessThan(5_000)
    await more.first().click()
    await detail.getByText(text).waitFor()
  })

  const model = 'm'.repeat(4_000)

  test.each([
    { hash: '#/requests/req-1', visibleText: 'Why' },
    { hash: `#/data/${model}`, visibleText: 'A request for this model now gets a 400' },
    { hash: '#/retries?all=true', visibleText: '1 call failed' },
  ])('used as an ID leaves room for the rest of the page, such as "$visibleText"', async ({ hash, visibleText }) => {
    await call(sim(), `/v1/models/${model}/analytics`)
    const page = await browser.open(sim(), { hash })
    expect((await page.getByText(visibleText).first().boundingBox())?.y).toBeLessThan(400)
    const box = await page.locator('.cut-off').first().boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(1280)
  })
})
