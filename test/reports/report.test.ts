import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { ask, event } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { runSampleSuite } from './sample-suite.ts'

const sim = sharedSimulator()

const forms = [
  { format: 'json', extension: 'json', mediaType: 'application/json; charset=utf-8' },
  { format: 'junit', extension: 'xml', mediaType: 'application/xml; charset=utf-8' },
  { format: 'markdown', extension: 'md', mediaType: 'text/markdown; charset=utf-8' },
  { format: 'html', extension: 'html', mediaType: 'text/html; charset=utf-8' },
] as const

/** A report as it is sent; unlike `ask`, of any media type. */
async function fetchReport({ origin }: TestSimulator, query: string) {
  const answer = await fetch(`${origin}/__sim/report?${query}`)
  return { status: answer.status, mediaType: answer.headers.get('content-type'), text: await answer.text() }
}

describe('the report of a sample suite of ten calls', () => {
  test.each(forms)('is the same in every run, as $format', async ({ format, extension, mediaType }) => {
    const own = await startForTest()
    await runSampleSuite(own)
    const first = await fetchReport(own, `format=${format}`)
    expect(first).toMatchObject({ status: 200, mediaType })
    expect(await fetchReport(own, `format=${format}`)).toEqual(first)
    await expect(first.text).toMatchFileSnapshot(`golden/report.golden.${extension}`)
  })

  test('is JSON where nothing else is asked for, and refuses other forms with the list', async () => {
    expect((await fetchReport(sim(), '')).mediaType).toBe(forms[0].mediaType)
    const { status, text } = await fetchReport(sim(), 'format=pdf')
    expect(status).toBe(400)
    expect(text).toMatch(/json.*junit.*markdown.*html/)
  })
})

/** What a test must never see as markup: it is sent where it comes back in messages and pointers. */
const nasty = `<script>alert("1")</script>&amp;'\u0000\u0008\ud800\uffff|*_\`[x](y)\n\n# h`

async function reportsOfNasty() {
  const own = await startForTest()
  await ask(own, '/v1/events', {
    body: event({ [nasty.replace('\ud800', '')]: 1, valueType: nasty.replace('\ud800', '') }),
  })
  await ask(own, `/v1/${encodeURIComponent('<b>&"')}`)
  const reports = await Promise.all(forms.map(({ format }) => fetchReport(own, `format=${format}`)))
  const [json, junit, markdown, html] = reports.map(({ text }) => text)
  return { json: json ?? '', junit: junit ?? '', markdown: markdown ?? '', html: html ?? '' }
}

describe('what clients send', () => {
  test('is text in every form, never markup', async () => {
    const { json, junit, markdown, html } = await reportsOfNasty()
    expect(JSON.parse(json)).toMatchObject({ violations: { requests: 1 }, unexpected: { answers: 1 } })
    for (const text of [junit, markdown, html]) {
      expect(text).toMatch(/&lt;script&gt;alert/)
      expect(text).not.toMatch(/<script/)
      expect(text.replace(/\n/g, '')).not.toMatch(/\p{Cc}/u)
    }
    expect(markdown).not.toMatch(/[^\\]\[x\]|^# h/m)
    expect(XMLValidator.validate(junit)).toBe(true)
  })
})

describe('JUnit', () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => ['testsuite', 'testcase'].includes(name),
  })

  test('is accepted by a reader, and its counts are those of its cases', async () => {
    const own = await startForTest()
    await runSampleSuite(own)
    const { text } = await fetchReport(own, 'format=junit')
    expect(XMLValidator.validate(text)).toBe(true)
    const { testsuites } = parser.parse(text)
    const counted = testsuites.testsuite.map((suite: Suite) => ({
      name: suite.name,
      tests: suite.testcase.length,
      failures: suite.testcase.filter(({ failure }) => failure !== undefined).length,
    }))
    expect(counted).toEqual([
      { name: 'convsim.violations', tests: 2, failures: 2 },
      { name: 'convsim.unexpected', tests: 2, failures: 2 },
      { name: 'convsim.manners', tests: 2, failures: 2 },
      { name: 'convsim.coverage', tests: 3, failures: 0 },
    ])
    const said = testsuites.testsuite.map(({ name, tests, failures }: Suite) => ({
      name,
      tests: Number(tests),
      failures: Number(failures),
    }))
    expect(said).toEqual(counted)
    expect(testsuites).toMatchObject({ tests: '9', failures: '6', errors: '0' })
  })

  test('of nothing has a case that passes for each kind', async () => {
    const own = await startForTest()
    const { text } = await fetchReport(own, 'format=junit')
    const { testsuites } = parser.parse(text)
    expect(testsuites).toMatchObject({ tests: '6', failures: '0' })
  })
})

interface Suite {
  readonly name: string
  readonly tests: string
  readonly failures: string
  readonly testcase: readonly { readonly failure?: unknown }[]
}

describe('HTML', () => {
  test('is one page without scripts or anything from elsewhere', async () => {
    const own = await startForTest()
    await runSampleSuite(own)
    const { text } = await fetchReport(own, 'format=html')
    expect(text).toMatch(/^<!doctype html>/)
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|url\(|@import|\son\w+=/i)
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)
    expect(links.every((to) => to?.startsWith('#'))).toBe(true)
    for (const to of links) expect(text).toContain(`id="${to?.slice(1)}"`)
  })
})
