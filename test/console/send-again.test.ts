// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describeInBrowser, sharedBrowser, test } from '../support/browser.ts'
import { ask, event } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { askRaw } from '../support/raw-http.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

const sendButton = (page: Page) => page.getByRole('button', { name: 'Send again' })

/** Returns the text of a request such as `fetch` cannot send: with any path, or a body with GET. */
const rawRequest = (method: string, target: string, headers = '', body = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`

describeInBrowser('sending a recorded request again', () => {
  test('never steers the control plane, whatever the path of the request', async ({ own }) => {
    const rule = { scenario: 'server-error' }
    await putRules(own, [rule], 'victim')
    const control = '/__sim/scenarios?sandbox=victim'
    const body = '{"rules":[]}'
    const targets = [
      `/v1/..${control}`,
      `/v1/%2e%2e${control}`,
      `/.${control}`,
      `/\\${own.origin.slice('http:/'.length)}${control}`,
      `/${own.origin.slice('http:/'.length)}${control}`,
    ]
    for (const target of targets)
      await askRaw(own.origin, rawRequest('PUT', target, 'Content-Type: application/json\r\n', body))
    const page = await browser.open(own)
    for (const [index, target] of targets.entries()) {
      await page.locator(`tr[data-id="req-${index + 1}"] a`).click()
      await page.getByRole('region', { name: `Request req-${index + 1}` }).waitFor()
      const button = sendButton(page)
      if (await button.isEnabled()) {
        const responded = page.waitForResponse((response) => response.request().method() === 'PUT')
        await button.click()
        expect((await responded).status(), target).toBe(404)
      } else expect(await button.getAttribute('title')).toContain('Copy the request as curl')
    }
    expect(await steer(own, 'GET', '/scenarios?sandbox=victim')).toMatchObject({ rules: [rule] })
  })

  test.each([
    ['a request with a fragment', rawRequest('GET', '/v1/a#b'), 'would change the path'],
    ['a TRACE request', rawRequest('TRACE', '/v1/events'), 'No browser sends TRACE'],
    ['a GET request with a body', rawRequest('GET', '/v1/events', '', 'x'), 'No browser sends a body'],
  ])('is disabled for %s, and the button says why', async (_name, text, reason) => {
    const own = await startForTest()
    await askRaw(own.origin, text)
    const page = await browser.open(own, { place: '#/requests/req-1' })
    await sendButton(page).waitFor()
    expect(await sendButton(page).isDisabled()).toBe(true)
    expect(await sendButton(page).getAttribute('title')).toContain(reason)
  })

  test('sends a path that begins with two slashes unchanged, after an explanation of its response', async ({ own }) => {
    await askRaw(own.origin, rawRequest('GET', '//evil.example/x'))
    const page = await browser.open(own, { place: '#/requests/req-1' })
    await page.getByText('would handle it the same way now').waitFor()
    await sendButton(page).click()
    await page.getByRole('region', { name: 'Request req-2' }).waitFor()
    const { requests } = await steer(own, 'GET', '/requests')
    expect(requests).toMatchObject([1, 2].map(() => ({ request: { path: '//evil.example/x' } })))
  })
})

describeInBrowser('a request that the page sent again', () => {
  test('is marked as sent from the console, and is in no report, finding or retry of the client', async ({ own }) => {
    await ask(own, '/v1/events', { body: event({ value: 7 }) })
    const before = await steer(own, 'GET', '/report')
    const page = await browser.open(own, { place: '#/requests/req-1' })
    for (const id of ['req-2', 'req-3']) {
      await sendButton(page).click()
      await page
        .getByRole('region', { name: `Request ${id}` })
        .getByText('sent from the console')
        .waitFor()
    }
    await page.locator('tr[data-id="req-3"]').getByText('sent again').waitFor()
    const { requests } = await steer(own, 'GET', '/requests')
    expect(requests).toMatchObject([{ id: 'req-1' }, { replayOf: 'req-1' }, { replayOf: 'req-2' }])
    const after = await steer(own, 'GET', '/report')
    expect({ ...after, run: before['run'] }).toEqual(before) // except the time of the report
    expect(before).toMatchObject({ requests: 1, violations: { requests: 1 }, retries: { findings: [] } })
    const { chains } = await steer(own, 'GET', '/retries')
    expect(chains).toMatchObject([{ attempts: [{ id: 'req-1' }] }])
  })
})
