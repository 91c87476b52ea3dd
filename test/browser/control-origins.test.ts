import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startForTest } from '../support/start.ts'
import { findBrowserProblem, openBrowser } from './chromium.ts'

const problem = findBrowserProblem()
let browser: Browser | undefined

beforeAll(async () => {
  if (problem === undefined) browser = await openBrowser()
})
afterAll(async () => browser?.close())

/** Serves an empty page on a port of its own, and opens it. */
async function openForeignPage() {
  const server = createServer((_req, res) =>
    res.setHeader('content-type', 'text/html').end('<!doctype html>'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const page = await browser?.newPage()
  if (!page) throw new Error('the browser is not open')
  await page.goto(origin)
  return { page, origin }
}

/** A script that switches a rule on, and evaluates to the status and the rules, or to the name of the error. */
const putRule = (controlUrl: string) => `
  fetch('${controlUrl}/scenarios', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"rules":[{"scenario":"unavailable"}]}',
  }).then(async (answer) => [answer.status, await answer.json()], (error) => error.name)`

describe.skipIf(problem !== undefined)('a script of a page in a browser', () => {
  test('can write to the control plane if --control-origins lists the page', async () => {
    const { page, origin } = await openForeignPage()
    const sim = await startForTest({ controlOrigins: origin })
    expect(await page.evaluate(putRule(sim.controlUrl))).toEqual([
      200,
      { rules: [{ scenario: 'unavailable' }] },
    ])
  })

  test('cannot otherwise', async () => {
    const { page } = await openForeignPage()
    const sim = await startForTest()
    expect(await page.evaluate(putRule(sim.controlUrl))).toBe('TypeError')
  })
})
