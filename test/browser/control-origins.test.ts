// @module-tag long
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startForTest } from '../support/start.ts'
import { findBrowserProblem, openBrowser } from './chromium.ts'
import { openForeignPage } from './foreign-page.ts'

const problem = findBrowserProblem()
let browser: Browser | undefined

beforeAll(async () => {
  if (problem === undefined) browser = await openBrowser()
})
afterAll(async () => browser?.close())

/** A script that switches a rule on, and evaluates to the status and the rules, or to the name of the error. */
const putRule = (controlUrl: string) => `
  fetch('${controlUrl}/scenarios', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"rules":[{"scenario":"unavailable"}]}',
  }).then(async (answer) => [answer.status, await answer.json()], (error) => error.name)`

/** A script that asks for the tools of MCP, and evaluates to the status or to the name of the error. */
const callTool = (controlUrl: string) => `
  fetch('${controlUrl}/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  }).then((answer) => answer.status, (error) => error.name)`

describe.skipIf(problem !== undefined)('a script of a page in a browser', () => {
  test('can write to the control plane if --control-origins lists the page', async () => {
    const { page, origin } = await openForeignPage(browser)
    const sim = await startForTest({ controlOrigins: origin })
    expect(await page.evaluate(putRule(sim.controlUrl))).toEqual([200, { rules: [{ scenario: 'unavailable' }] }])
    expect(await page.evaluate(callTool(sim.controlUrl))).toBe(200)
  })

  test('cannot otherwise', async () => {
    const { page } = await openForeignPage(browser)
    const sim = await startForTest()
    expect(await page.evaluate(putRule(sim.controlUrl))).toBe('TypeError')
    expect(await page.evaluate(callTool(sim.controlUrl))).toBe('TypeError')
  })
})
