// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { click, closeDialog, describeInBrowser, sendEvents, sharedBrowser, test, textsOf } from '../support/browser.ts'
import { call } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const browser = sharedBrowser()

const openAt = (sim: TestSimulator, name = 'default') => browser.open(sim, { hash: `#/sandboxes?sandbox=${name}` })

const pickerOf = (page: Page) => page.locator('.picker select')

const countEvents = async (sim: TestSimulator, sandbox: string) =>
  (await callControl(sim, 'GET', `/events?sandbox=${sandbox}`))['total']

const listSandboxNames = async (sim: TestSimulator) => (await listSandboxes(sim)).map(({ name }) => name)

describeInBrowser('the sandboxes view', () => {
  test('lists the sandboxes with their counts, and switches the whole page to a clicked sandbox', async ({ own }) => {
    await sendEvents(own, 2, {}, 'w1')
    await putRules(own, [{ scenario: 'server-error' }], 'w2')
    const page = await openAt(own)
    await page.getByRole('row', { name: /^w1 2 2 0 0 0 / }).waitFor()
    await page.getByRole('row', { name: /^w2 0 0 0 1 0 / }).waitFor()
    await sendEvents(own, 1, {}, 'w1')
    await page.getByRole('row', { name: /^w1 3 3 / }).waitFor()
    expect(await textsOf(page, 'tbody tr a')).toEqual(['default', 'w1', 'w2'])
    await pickerOf(page).selectOption('*')
    await page.getByRole('heading', { name: 'All sandboxes are shown' }).waitFor()
    await page.getByRole('link', { name: 'w1', exact: true }).click()
    await page.getByRole('region', { name: 'Sandbox w1' }).getByText('X-Sim-Sandbox: w1').waitFor()
    expect(await pickerOf(page).inputValue()).toBe('w1')
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.getByRole('row', { name: '/v1/events' }).first().waitFor()
    expect(page.url()).toContain('sandbox=w1')
  })

  test('creates a sandbox, rejects a name that is in use, and changes the seed of a sandbox', async ({ own }) => {
    await sendEvents(own, 1, {}, 'w1')
    const page = await openAt(own)
    const name = page.getByLabel('Name of the new sandbox')
    await name.fill('w1')
    await click(page, 'Create')
    await page.getByText('The sandbox "w1" already exists.').waitFor()
    await name.fill('w2')
    await click(page, 'Create')
    await page.getByRole('region', { name: 'Sandbox w2' }).waitFor()
    await page.locator('tr:has(a[aria-current])').getByText('w2').waitFor()
    expect(await listSandboxNames(own)).toEqual(expect.arrayContaining(['w1', 'w2']))
    await page.getByLabel('Seed', { exact: true }).fill('42')
    await click(page, 'Change')
    await page.getByText('The seed of the sandbox w2 is now 42.').waitFor()
    expect((await callControl(own, 'PUT', '/sandboxes/w2', {}))['seed']).toBe('42')
  })

  test('asks before resetting, lists what will be lost, and does nothing if the user cancels', async ({ own }) => {
    await sendEvents(own, 2, {}, 'w1')
    await putRules(own, [{ scenario: 'unavailable', times: 1 }], 'w1')
    const page = await openAt(own, 'w1')
    await click(page, 'Reset…')
    await closeDialog(page, 'Reset the sandbox w1?', 'Cancel')
    expect(await countEvents(own, 'w1')).toBe(2)
    await click(page, 'Reset…')
    const losses = await closeDialog(page, 'Reset the sandbox w1?', 'Reset')
    expect(losses.slice(0, 3)).toEqual(['2 events', '1 rule', '2 recorded requests'])
    expect(losses.at(-1)).toContain('seed')
    await page.getByText('The sandbox w1 was reset.').waitFor()
    await page.getByRole('row', { name: /^w1 0 0 0 0 / }).waitFor()
    expect(await countEvents(own, 'w1')).toBe(0)
  })

  test('deletes any sandbox except the default sandbox, and does not recreate a deleted sandbox', async ({ own }) => {
    await sendEvents(own, 1, {}, 'w1')
    await sendEvents(own, 1, {}, 'w2')
    await call(own, '/__sim/snapshots?sandbox=w1', { body: {}, token: null })
    const page = await openAt(own, 'w1')
    await page.getByText('1 event, 0 prompts').waitFor()
    await click(page, 'Delete…')
    const losses = await closeDialog(page, 'Delete the sandbox w1?', 'Delete')
    expect(losses.slice(0, 3)).toEqual(['1 event', '1 snapshot', '1 recorded request'])
    await page.getByText('The sandbox w1 was deleted.').waitFor()
    await page.getByRole('region', { name: 'Sandbox default' }).waitFor()
    await page.getByRole('button', { name: 'Reset…' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0)
    await page.getByRole('link', { name: 'w1', exact: true }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'w2', exact: true }).waitFor()
    expect(await listSandboxNames(own)).not.toContain('w1')
  })

  test('takes, restores and deletes a snapshot', async ({ own }) => {
    await sendEvents(own, 2, {}, 'w1')
    const page = await openAt(own, 'w1')
    await page.getByLabel('Name of the snapshot').fill('two events')
    await click(page, 'Take a snapshot')
    const snapshots = page.locator('.snapshot-list li')
    await snapshots.locator('b').getByText('two events').waitFor()
    await snapshots.getByText('2 events, 0 prompts').waitFor()
    await sendEvents(own, 3, {}, 'w1')
    await snapshots.getByRole('button', { name: 'Restore…' }).click()
    expect((await closeDialog(page, 'Restore the snapshot two events?', 'Restore'))[0]).toBe('5 events')
    await page.getByText('The sandbox w1 was restored from the snapshot.').waitFor()
    expect(await countEvents(own, 'w1')).toBe(2)
    await snapshots.getByRole('button', { name: 'Delete…' }).click()
    const lost = await closeDialog(page, 'Delete the snapshot two events?', 'Delete')
    expect(lost).toEqual(['its copy of 2 events and 0 prompts'])
    await snapshots.waitFor({ state: 'detached' })
  })

  test('exports a sandbox, imports it into another, and says why a file cannot be imported', async ({ own }) => {
    const file = join(await tempFolder(), 'w1.json')
    await sendEvents(own, 2, {}, 'w1')
    await sendEvents(own, 1, {}, 'w2')
    const page = await openAt(own, 'w1')
    const [download] = await Promise.all([page.waitForEvent('download'), click(page, 'Export')])
    expect(download.suggestedFilename()).toBe('w1.export.json')
    await download.saveAs(file)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ format: 1, events: [{}, {}] })
    await pickerOf(page).selectOption('w2')
    await page.getByRole('region', { name: 'Sandbox w2' }).waitFor()
    await page.locator('input[type=file]').setInputFiles(file)
    expect((await closeDialog(page, 'Import w1.json into the sandbox w2?', 'Import'))[0]).toBe('1 event')
    await page.getByText('w2 now has 2 events and 0 prompts.').waitFor()
    expect(await countEvents(own, 'w2')).toBe(2)
    const choose = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
    await choose('broken.json', '{"format":')
    await page.getByText('broken.json is not JSON.').waitFor()
    await choose('other.json', '{"format":7}')
    await closeDialog(page, 'Import other.json into the sandbox w2?', 'Import')
    await page.locator('.notice.problem').nth(1).waitFor()
    expect(await countEvents(own, 'w2')).toBe(2)
  })
})
