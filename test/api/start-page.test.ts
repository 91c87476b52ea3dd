import { describe, expect, test } from 'vitest'
import { inputs } from '../support/catalogue.ts'
import { ask } from '../support/client.ts'
import { documentWith } from '../support/documents.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator()

/** The header of a browser that opens an address. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const asBrowser = { headers: { accept }, token: null }

/** Returns the targets of the links of a page. */
const linksOf = (page: string) => Array.from(page.matchAll(/<a href="([^"]*)"/g), ([, target = '']) => target)

describe.each(['/', '/?utm=x', '/__sim', '/__sim/'])('GET %s', (path) => {
  test('shows a browser a page that loads nothing and is not stored', async () => {
    const answer = await ask(sim(), path, asBrowser)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect([answer.headers.get('cache-control'), answer.headers.get('vary')]).toEqual(['no-store', 'Accept'])
    for (const { path: own } of inputs.contract.operations) expect(answer.text).toContain(`/v1${own}`)
  })

  test.each([
    '*/*',
    'application/json',
    'text/*',
    'text/htmlx',
    'text/html;q=0, */*',
    'text/html; Q=0.000',
    '',
  ])('answers a client with Accept: %s as before', async (other) => {
    const answer = await ask(sim(), path, { headers: { accept: other }, token: null })
    if (path.startsWith('/__sim'))
      expect([answer.status, answer.text]).toEqual([
        404,
        expect.stringMatching(/Nothing is served.*GET \/__sim\/info/),
      ])
    else expect([answer.status, answer.headers.get('location')]).toEqual([302, '/__sim/info'])
  })
})

test('HEAD of a browser is answered without a body, and other methods as before', async () => {
  const head = await ask(sim(), '/__sim', { ...asBrowser, method: 'HEAD' })
  expect([head.status, head.text]).toEqual([200, ''])
  const post = await ask(sim(), '/__sim', { ...asBrowser, method: 'POST' })
  expect(post.status).toBe(404)
})

test('every link of the page leads to an answer, and every control that a link can open has one', async () => {
  const { text } = await ask(sim(), '/', asBrowser)
  const links = linksOf(text)
  for (const { method, path } of inputs.control.operations) {
    if (method !== 'GET' || path.includes('{') || path.startsWith('/wiremock')) continue
    expect(links.map((link) => link.replace(/\?.*/, ''))).toContain(`/__sim${path}`)
  }
  for (const link of links) {
    const answer = await fetch(sim().origin + link, { headers: { accept } })
    expect([link, answer.status]).toEqual([link, 200])
    await answer.body?.cancel() // a stream does not end
  }
})

test('the page needs no token, and says that the linked pages need one', async () => {
  const own = await startForTest({ controlToken: 'let me in' })
  const page = await ask(own, '/', asBrowser)
  expect([page.status, page.text]).toEqual([200, expect.stringMatching(/requires its token/)])
  const [link = ''] = linksOf(page.text).filter((target) => target.endsWith('/info'))
  expect((await ask(own, link, asBrowser)).status).toBe(401)
})

test('the page is refused to a page of another origin', async () => {
  const foreign = await ask(sim(), '/', { headers: { accept, origin: 'https://example.com' }, token: null })
  expect(foreign.status).toBe(403)
})

test('a title that is markup stands in the page as text', async () => {
  const contract = await documentWith('title: Conversation', 'title: <script>alert(1)</script> Conversation')
  const own = await startForTest({ contract })
  const { text } = await ask(own, '/', asBrowser)
  expect(text).toContain('&lt;script&gt;')
  expect(text).not.toContain('<script')
})
