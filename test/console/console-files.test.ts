import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { callRaw } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator()

const folder = new URL('../../dist/console/', import.meta.url)

const browserHeaders = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'gzip, deflate, br, zstd' }

/** Requests a path as a browser does when it opens a page. */
const open = (path: string, headers: Record<string, string> = browserHeaders, origin = sim().origin) =>
  fetch(origin + path, { headers, redirect: 'manual' })

const assets = readdirSync(new URL('assets', folder)).filter((name) => /\.(js|css)$/.test(name))

describe.each(['/', '/?utm=x', '/__sim'])('GET %s', (path) => {
  test('redirects a browser to the console, and so does HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(sim().origin + path, { method, headers: browserHeaders, redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([302, '/__sim/'])
    }
  })

  const otherTypes = ['*/*', 'application/json', 'text/*', 'text/htmlx', '']
  test.each(otherTypes)('does not redirect a client with "Accept: %s" to the console', async (accept) => {
    const response = await open(path, { accept })
    if (path === '/__sim')
      expect([response.status, await response.text()]).toEqual([404, expect.stringMatching(/serves only a page/)])
    else expect([response.status, response.headers.get('location')]).toEqual([302, '/__sim/info'])
  })
})

test.each(['/__sim', '/__sim/'])('POST %s returns 404', async (path) => {
  const response = await fetch(sim().origin + path, { method: 'POST', headers: browserHeaders })
  expect(response.status).toBe(404)
})

test('the console’s page is never cached and loads only its own files', async () => {
  const response = await open('/__sim/')
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'x-content-type-options': 'nosniff',
  })
  const text = await response.text()
  const linked = [...text.matchAll(/assets\/([\w.-]+)/g)].map(([, name]) => name)
  const namesWithoutHash = linked.map((name) => name?.replace(/-[A-Z0-9]{8}/, ''))
  expect(namesWithoutHash.sort()).toEqual(['app.js', 'style.css'])
  expect(assets).toEqual(expect.arrayContaining(linked))
})

test('the scripts and the stylesheet are declared immutable and can be cached for a year', async () => {
  for (const name of assets) {
    const response = await open(`/__sim/assets/${name}`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
    expect(await response.text()).toBe(readFileSync(new URL(`assets/${name}`, folder), 'utf8'))
  }
})

test.each(['assets/app-AAAAAAAA.js', 'assets/../cli.js', 'assets/app.js', 'index.html'])(
  '%s is not served',
  async (path) => {
    expect((await open(`/__sim/${path}`)).status).toBe(404)
  },
)

test('the console’s files do not require the control plane’s token, but the list of requests does', async () => {
  const own = await startForTest({ controlToken: 'let me in' })
  expect((await open('/__sim/', browserHeaders, own.origin)).status).toBe(200)
  expect((await open(`/__sim/assets/${assets[0]}`, browserHeaders, own.origin)).status).toBe(200)
  expect((await open('/__sim/requests', browserHeaders, own.origin)).status).toBe(401)
})

test('the console rejects requests from other origins or for unknown host names (DNS rebinding)', async () => {
  const crossOrigin = { ...browserHeaders, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
  expect((await open('/__sim/', crossOrigin)).status).toBe(403)
  const rebound = await callRaw(
    sim().origin,
    'GET /__sim/ HTTP/1.1\r\nHost: console.example.test\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
  )
  expect(rebound.status).toBe(403)
})

test('the first view loads at most 40 kB of compressed scripts', () => {
  const read = (name: string) => readFileSync(new URL(`assets/${name}`, folder), 'utf8')
  const loaded = new Set(assets.filter((name) => /^app-.*js$/.test(name)))
  for (const name of loaded)
    for (const [, part = ''] of read(name).matchAll(/(?:from|import)"\.\/(part-\w+\.js)"/g)) loaded.add(part)
  expect(loaded.size).toBeGreaterThan(1)
  const sizes = [...loaded].map((name) => gzipSync(read(name)).length)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(40_000)
})

test('the documentation is served as plain text', async () => {
  const response = await open('/__sim/docs/front-end.md')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toMatch(/^# Front-end development/)
})
