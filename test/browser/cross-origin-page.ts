import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { listenForTest } from '../support/fake-upstream.ts'

/** Serves an empty page on a free port until the end of the test, and opens the page under the given host name. */
export async function openCrossOriginPage(browser: Browser | undefined, host = '127.0.0.1') {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<!doctype html><body>'))
  const origin = `http://${host}:${await listenForTest(server)}`
  const page = await browser?.newPage()
  if (!page) throw new Error('the browser is not open')
  onTestFinished(() => page.close())
  await page.goto(origin)
  return { page, origin }
}
