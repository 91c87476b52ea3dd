// @module-tag long
import { expect } from 'vitest'
import { describeInBrowser, sharedBrowser, test, textsOf } from '../support/browser.ts'
import { call, productId, prompt, textOf } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import type { TestSimulator } from '../support/start.ts'

const browser = sharedBrowser()

/** Creates a version of the prompt `order-assistant` with this content. Returns the prompt's ID. */
async function sendVersion(sim: TestSimulator, content: string, fields = {}): Promise<string> {
  const common = { externalPromptId: 'order-assistant', productId, role: 'assistant', ...fields }
  return textOf(await call(sim, '/v1/prompts', { body: prompt({ ...common, components: [{ content }] }) }), 'promptId')
}

describeInBrowser('the prompts view', () => {
  test('says how to create the first prompt, and shows it as soon as it is created', async () => {
    const { own, page } = await browser.openNew('#/prompts')
    const line = await page.locator('.command-line code').textContent()
    expect(line).toContain(`${own.origin}/v1/prompts`)
    const body = JSON.parse(/-d '(.*)'$/s.exec(line ?? '')?.[1] ?? '')
    expect(await call(own, '/v1/prompts', { body })).toMatchObject({ status: 201 })
    await page.getByRole('link', { name: 'Order assistant' }).waitFor()
    await page.getByText('This prompt gets a second version').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.locator('.diff var:visible').allTextContents()).toEqual(['{{customer}}'])
  })

  test('shows a side-by-side diff of two versions by line and word, and can activate either one', async ({ own }) => {
    await sendVersion(own, 'Be polite.\nReply to {{customer}} in English.\nNever promise.\nKeep it short.')
    const id = await sendVersion(own, 'Be polite.\nReply to {{customer}} in {{language}}.\nKeep it short.\nOffer help.')
    const page = await browser.open(own, { hash: `#/prompts/${id}` })
    await page.getByText('3 of 10 lines changed.').waitFor()
    for (const [selector, texts] of [
      ['td.removed', ['−Reply to {{customer}} in English.', '−Never promise.']],
      ['td.added', ['+Reply to {{customer}} in {{language}}.', '+Offer help.']],
      ['del', ['English']],
      ['ins', ['{{language}}']],
    ] as const)
      expect(await page.locator(`.diff ${selector}`).allTextContents()).toEqual(texts)
    expect(await page.locator('.diff tbody tr').count()).toBeLessThan(10)
    await page.getByRole('button', { name: 'Show all lines' }).click()
    expect(await page.locator('.diff tbody tr').count()).toBe(10)
    await page.getByRole('button', { name: 'Activate version 1' }).click()
    await page.getByText('Version 1 is active.').waitFor()
    await page.getByRole('link', { name: 'version 1 active' }).waitFor()
    await page.getByRole('button', { name: 'Activate version 2' }).click()
    await page.getByRole('link', { name: 'version 2 active' }).waitFor()
    const { prompts } = await callControl(own, 'GET', '/prompts')
    expect(prompts).toMatchObject([{ versions: [{ active: false }, { active: true }] }])
  })

  test('keeps the compared versions in the URL, and says which versions have identical components', async ({ own }) => {
    const id = await sendVersion(own, 'First {{name}}.')
    await sendVersion(own, 'Second.')
    await sendVersion(own, 'First {{name}}.', { role: 'other' })
    const page = await browser.open(own, { hash: `#/prompts/${id}` })
    expect(await page.locator('.versions tbody tr').first().textContent()).toContain('same as version 1')
    await page.getByText('Second.').waitFor()
    await page.getByLabel('Compare version').selectOption('1')
    await page.getByText('Their components are identical.').waitFor()
    expect(await textsOf(page, '.diff td.added')).toEqual(['+role: other'])
    await page.reload()
    await page.getByText('Their components are identical.').waitFor()
  })

  test('keeps a prompt open as new ones arrive, finds prompts by text, and marks repeated prompts', async ({ own }) => {
    const id = await sendVersion(own, 'First.')
    const page = await browser.open(own, { hash: '#/prompts' })
    await page.waitForURL(new RegExp(id))
    for (let sent = 0; sent < 2; sent++) await call(own, '/v1/prompts', { body: prompt({ name: 'Greeting' }) })
    await page.getByRole('link', { name: 'Greeting' }).first().waitFor()
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('Order assistant')
    await page.keyboard.press('/')
    await page.keyboard.type('greet')
    await page.getByText('2 of 3 prompts').waitFor()
    expect(await page.locator('.menu a').count()).toBe(2)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.getByRole('heading', { level: 2, name: 'Greeting' }).waitFor()
    await page.getByText('An identical request created').waitFor()
  })
})
