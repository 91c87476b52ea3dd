import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** Opens an address in a page of its own, for one test. */
async function openPage(browser: Browser | undefined, url: string): Promise<Page> {
  const page = await browser?.newPage()
  if (!page) throw new Error('the browser is not open')
  onTestFinished(() => page.close())
  await page.goto(url)
  return page
}

/** Serves an empty page on a port of its own, and opens it under a host name, for one test. */
export async function openForeignPage(browser: Browser | undefined, host = '127.0.0.1') {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<!doctype html><body>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  return { page: await openPage(browser, origin), origin }
}
