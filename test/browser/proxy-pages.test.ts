// @module-tag long
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { analyticsPath } from '../support/client.ts'
import { proxyTo, startUpstream } from '../support/fake-upstream.ts'
import { isMissing } from '../support/tools.ts'
import { openBrowser } from './chromium.ts'
import { openCrossOriginPage } from './cross-origin-page.ts'

const token = 'upstream-secret-1'
let browser: Browser | undefined

beforeAll(async () => {
  // Simulates an attacker's DNS server, which resolves the page's host name to this machine's address.
  if (!isMissing('chromium')) browser = await openBrowser('--host-resolver-rules=MAP evil.example 127.0.0.1')
})
afterAll(async () => browser?.close())

/** Starts a proxy to a new service that allows every origin. `received`: the method and credentials of each request. */
async function openProxy(target: Parameters<typeof proxyTo>[1], settings: Parameters<typeof proxyTo>[2] = {}) {
  const received: string[] = []
  const service = await startUpstream((req, res) => {
    received.push(`${req.method} ${req.headers.authorization ?? ''}`.trim())
    res.setHeader('access-control-allow-origin', '*')
    res.setHeader('access-control-allow-methods', '*')
    res.setHeader('access-control-allow-headers', '*')
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"secret":1}')
  })
  return { sim: await proxyTo(service, target, settings), received }
}

/** Returns a script that sends requests in many ways, and resolves to the secret responses that it can read. */
const attackScript = (url: string) => `(async () => {
  const url = ${JSON.stringify(url)}
  const read = (init) => fetch(url, init).then((response) => response.text(), (error) => error.name)
  const load = (tag, attributes) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), attributes)
    element.onload = element.onerror = resolve
    document.body.append(element)
  })
  const socketDone = new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'))
    socket.onopen = socket.onerror = resolve
  })
  const sourceDone = new Promise((resolve) => {
    const source = new EventSource(url)
    source.onopen = source.onerror = () => resolve(source.close())
  })
  const texts = [
    await read(),
    await read({ mode: 'no-cors' }),
    await read({ method: 'POST', body: '{}' }),
    await read({ method: 'DELETE' }),
    await read({ method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{}' }),
  ]
  await load('img', { src: url })
  await load('img', { src: url, referrerPolicy: 'no-referrer' })
  await load('script', { src: url })
  await load('iframe', { src: url })
  const form = '<form method=post action=' + url + '></form><script>document.forms[0].submit()</script>'
  await load('iframe', { srcdoc: form })
  await load('iframe', { sandbox: 'allow-scripts', srcdoc: '<script>fetch(' + JSON.stringify(url) + ')</script>' })
  navigator.sendBeacon(url, 'x')
  await socketDone
  await sourceDone
  await new Promise((resolve) => setTimeout(resolve, 300))
  return texts.filter((text) => text.includes('secret'))
})()`

describe.skipIf(isMissing('chromium'))('a page in Chromium', () => {
  test.each([
    ['another port on the same host', '127.0.0.1'],
    ['another site', 'localhost'],
    ['another site with a public host name', 'evil.example'],
  ])('served from %s can neither read nor write through a proxy with a token', async (_name, host) => {
    const { page } = await openCrossOriginPage(browser, host)
    const { sim, received } = await openProxy({ token })
    expect(await page.evaluate(attackScript(sim.origin + analyticsPath))).toEqual([])
    expect(received).toEqual([])
  })

  test('reaches the service through a proxy without a token, which shows that the tests above can fail', async () => {
    const { page } = await openCrossOriginPage(browser, 'localhost')
    const { sim, received } = await openProxy({})
    const texts = await page.evaluate<string[]>(attackScript(sim.origin + analyticsPath))
    expect(texts).toEqual(Array(4).fill('{"secret":1}')) // no-cors hides one of the five responses
    expect(received.length).toBeGreaterThanOrEqual(14)
    expect([...new Set(received)].sort()).toEqual(['DELETE', 'GET', 'OPTIONS', 'POST', 'PUT'])
  })
})
