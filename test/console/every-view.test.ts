// @module-tag long
import { expect, test } from 'vitest'
import { click, describeInBrowser, expectAccessible, openDetails, sharedBrowser } from '../support/browser.ts'
import { analyticsPath, call, event, prompt } from '../support/client.ts'
import { putRules } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator({ scenario: 'slow;ms=1' })
const browser = sharedBrowser()

/** Fills a sandbox with data for each view in `views`. The requests, a rule and a snapshot contain `text`. */
async function fillSandbox(sandbox: string, text: string): Promise<void> {
  const headers = { 'x-sim-sandbox': sandbox, 'x-note': encodeURIComponent(text) }
  const body = event({ eventType: text, value: text, externalConversationId: text, properties: { [text]: text } })
  await call(sim(), '/v1/events', { body: { ...body, productId: text }, headers })
  for (const more of [{}, { influence: 'negative', sampleRate: 0 }])
    await call(sim(), '/v1/events', { body: { ...body, ...more }, headers })
  for (const content of [`Be {{tone}}.\n${text}`, `Be {{mood}}.\n${text}\nA line.`]) {
    const names = { name: text, tags: [text], externalPromptId: 'one', role: text }
    await call(sim(), '/v1/prompts', { body: prompt({ ...names, components: [{ content, type: text }] }), headers })
  }
  await call(sim(), `/v1/models/${encodeURIComponent(text)}/analytics?q=${encodeURIComponent(text)}`, { headers })
  await call(sim(), analyticsPath, { headers: { ...headers, 'x-sim-sequence': '503, 200' } })
  const refusedHeaders = { ...headers, 'x-sim-scenario': '503' }
  await call(sim(), '/v1/events', { body: { ...body, insertId: text }, headers: refusedHeaders })
  await call(sim(), `/__sim/snapshots?sandbox=${sandbox}`, { body: { name: text }, token: null })
  const match = { body: { '/eventType': text }, header: { 'x-note': text } }
  const rules = [
    { scenario: 'unavailable', match },
    { sequence: '429, 200', enabled: false },
  ]
  await putRules(sim(), rules, sandbox)
}

/** The path of each view that lists data from the selected sandbox, and a selector for that data. */
const views = [
  ['requests', 'td.path'],
  ['retries?all=true', '.chain'],
  ['scenarios/slow', '.rule code'],
  ['sandboxes', '.snapshot-list li'],
  ['events', '.event-list a'],
  ['prompts', '.diff ins'],
] as const

/** The paths of the other views, each with a selector for content that does not depend on the sandbox. */
const otherViews = [
  ['data/00000000-0000-4000-8000-000000000001', '.chart'],
  ['contract/createEvent', '.operation'],
] as const

const inSandbox = (path: string, sandbox: string) => `#/${path}${path.includes('?') ? '&' : '?'}sandbox=${sandbox}`

describeInBrowser('every view', () => {
  test('in the console is tested here', async () => {
    const page = await browser.open(sim())
    await page.getByText('Live', { exact: true }).waitFor()
    const hrefs = await page.evaluate<string[]>(
      '[...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href"))',
    )
    const testedViews = [...views, ...otherViews].map(([path]) => /^\w+/.exec(path)?.[0])
    expect(hrefs.map((href) => /^#\/(\w+)/.exec(href)?.[1]).toSorted()).toEqual(testedViews.toSorted())
  })

  test('that lists a sandbox’s data never renders client text as HTML, and lists no other sandbox’s data', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    await fillSandbox('markup', markup)
    const page = await browser.open(sim(), { hash: inSandbox('requests', 'markup') })
    for (const [path, target] of views) {
      await page.goto(`${sim().origin}/__sim/${inSandbox(path, 'markup')}`)
      await page.locator(target).first().waitFor()
      for (const link of await page.locator('td.path a, .event-list a').all()) {
        await link.click()
        await page.locator('[data-open]').first().waitFor()
        await openDetails(page)
        expect(await page.locator('img, main script').count(), path).toBe(0)
      }
      expect(await page.locator('img, main script').count(), path).toBe(0)
      expect(await page.title()).toContain('convsim')
      await page.getByLabel('Sandbox').first().selectOption('default')
      // The startup rule applies in every sandbox.
      await expect.poll(() => page.locator(target).count(), { message: path }).toBe(path === 'scenarios/slow' ? 1 : 0)
    }
  })

  const looks = [
    { width: 390, colorScheme: 'light' },
    { width: 1600, colorScheme: 'dark' },
  ] as const
  const rows = looks.flatMap((look) => [...views, ...otherViews].map(([path, target]) => ({ ...look, path, target })))

  test.each(rows)(
    'is accessible and fits the window: $path in $colorScheme mode at $width px',
    async ({ path, target, ...look }) => {
      const sandbox = `${look.colorScheme}-${look.width}`
      filledSandboxes.set(sandbox, filledSandboxes.get(sandbox) ?? fillSandbox(sandbox, 'some text'))
      await filledSandboxes.get(sandbox)
      const page = await browser.open(sim(), { ...look, hash: inSandbox(path, sandbox) })
      const expectUsable = async () => {
        await expectAccessible(page)
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(look.width)
      }
      await page.locator(target).first().waitFor()
      await expectUsable()
      if (path === 'sandboxes') {
        await click(page, 'Reset…')
        await page.getByRole('dialog').waitFor()
        await expectUsable()
      }
      if (path !== 'requests' && path !== 'events') return
      await page.locator('td.path a, .event-list a').last().click()
      await page.locator('[data-open]').first().waitFor()
      await openDetails(page)
      await expectUsable()
    },
  )
})

/** The promises that `fillSandbox` has returned, by sandbox name. */
const filledSandboxes = new Map<string, Promise<void>>()
