import { readFileSync } from 'node:fs'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ReportFormat, reportFormats } from '../../../../src/server/reports/formats/index.ts'
import { allOperations } from '../../../support/all-operations.ts'
import { documentOfPaths } from '../../../support/documents.ts'
import { compareGolden, inLines } from '../../../support/golden.ts'
import { sharedSimulator } from '../../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../../support/start.ts'
import { runSampleSuite } from '../sample-suite.ts'

const sim = sharedSimulator()

const formats = Object.entries<ReportFormat>(reportFormats).map(
  ([format, { extension = `.${format}.txt`, mediaType }]) => ({ format, extension, mediaType }),
)

/** Fetches a report of any media type, unlike `ask`. */
async function fetchReport({ origin }: TestSimulator, query: string) {
  const response = await fetch(`${origin}/__sim/report?${query}`)
  return { status: response.status, mediaType: response.headers.get('content-type'), text: await response.text() }
}

describe('the table of formats', () => {
  test('has the published names, extensions and media types', () => {
    expect(formats).toEqual([
      { format: 'json', extension: '.json', mediaType: 'application/json; charset=utf-8' },
      { format: 'junit', extension: '.xml', mediaType: 'application/xml; charset=utf-8' },
      { format: 'markdown', extension: '.md', mediaType: 'text/markdown; charset=utf-8' },
      { format: 'html', extension: '.html', mediaType: 'text/html; charset=utf-8' },
      { format: 'github', extension: '.github.txt', mediaType: 'text/plain; charset=utf-8' },
      { format: 'text', extension: '.text.txt', mediaType: 'text/plain; charset=utf-8' },
    ])
  })

  test('matches the control document', () => {
    const file = new URL('../../../../spec/control.openapi.yaml', import.meta.url)
    const { get } = parse(readFileSync(file, 'utf8')).paths['/report']
    const parameter = get.parameters.find(({ name }: { name?: string }) => name === 'format')
    expect(parameter.schema.enum).toEqual(formats.map(({ format }) => format))
    const documented = Object.keys(get.responses['200'].content)
    expect(documented).toEqual([...new Set(formats.map(({ mediaType }) => mediaType.split(';')[0]))])
  })
})

/**
 * Replaces the parts of a report that differ between runs and versions of Node: the time, the digest of the contract,
 * and the arguments of curl commands, which `request-trace.test.ts` tests. Only the first command in Markdown stays.
 */
const withoutRun = (text: string) =>
  text
    .replaceAll(/curl --globoff(?:.*\\\n)+[^<\n]*/g, 'curl ...')
    .replaceAll(/(?<=<\/details>[\s\S]*)<details>[\s\S]*?<\/details>/g, '(curl, as above)')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:...')
    .replaceAll(/(?<=: after )[\d.]+(?= s \()/g, '(pause)')
    .replaceAll(/\b(?!2026-01-15T12:00:00)20\d\d-\d\d-\d\dT[\d:.]+Z/g, '(now)')

/** Shortens the lists of a report in JSON to one item, so a person can review the golden file. */
const withShortLists = (json: string) => {
  const shorten = (_name: string, value: unknown) => {
    if (typeof value === 'string') return withoutRun(value)
    return Array.isArray(value) && value.length > 1 ? [value[0], `and ${value.length - 1} more`] : value
  }
  return `${inLines(JSON.parse(json, shorten), 200)}\n`
}

/** Replaces the entities of HTML and XML. */
const decodeEntities = (text: string) =>
  Object.entries({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }).reduce(
    (result, [entity, character]) => result.replaceAll(entity, character),
    text,
  )

describe('the report of a sample suite of six calls', () => {
  const formatsOf = async () => {
    // Operations added to the bundled document do not change the golden files.
    const own = await startForTest({ contract: await documentOfPaths('/prompts', '/events') })
    await runSampleSuite(own)
    return (format: string) => fetchReport(own, `format=${format}`)
  }

  test.each(formats)('is the same in every run as $format', async ({ format, extension, mediaType }) => {
    const read = await formatsOf()
    const first = await read(format)
    expect(first).toMatchObject({ status: 200, mediaType })
    expect(withoutRun((await read(format)).text)).toBe(withoutRun(first.text))
    if (['html', 'junit'].includes(format)) return // see the next test
    const text = format === 'json' ? withShortLists(first.text) : withoutRun(first.text)
    await compareGolden('test/server/reports', () =>
      expect(text).toMatchFileSnapshot(`../golden/report.golden${extension}`),
    )
  })

  test.each(['html', 'junit'])('contains as %s everything that it contains as JSON', async (format) => {
    const read = await formatsOf()
    const text = decodeEntities((await read(format)).text)
    const { violations, unexpected, retries, advice, coverage, summary } = JSON.parse((await read('json')).text)
    const findings = [violations, unexpected, retries, advice].flatMap((section) => section.findings)
    for (const { message, sentence = message, requests, first } of findings) {
      const trace = `Requests: ${requests.join(', ')}; first: ${first.at} ${first.method} ${first.path}, sandbox`
      for (const part of [sentence, trace, first.curl.trim()]) expect(text).toContain(part)
    }
    for (const { operation, met, points, percent, missing } of coverage.operations) {
      expect(text).toContain(`${operation}: ${met} of ${points} items (${percent}%)`)
      for (const { sentence } of missing) expect(text.includes(sentence)).toBe(format === 'html')
    }
    expect(text.includes(`${summary}.`)).toBe(format === 'html')
  })

  test('is JSON by default, and another format is refused with the list', async () => {
    expect((await fetchReport(sim(), '')).mediaType).toBe(reportFormats.json.mediaType)
    const { status, text } = await fetchReport(sim(), 'format=pdf')
    expect(status).toBe(400)
    expect(text).toMatch(/json.*junit.*markdown.*html.*github.*text/)
  })
})

describe('JUnit', () => {
  const isArray = (name: string) => ['testsuite', 'testcase'].includes(name)
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', isArray })

  test('is valid XML, and fails if --fail-on does', async () => {
    const own = await startForTest({ failOn: 'violation,retry,coverage<90,coverage<1' })
    await runSampleSuite(own)
    const { text } = await fetchReport(own, 'format=junit')
    expect(XMLValidator.validate(text)).toBe(true)
    const { testsuites } = parser.parse(text)
    const numbers = testsuites.testsuite.map(({ name, tests, failures, testcase }: Suite) => {
      const failed = testcase.filter(({ failure }) => failure !== undefined)
      expect([tests, failures]).toEqual([String(testcase.length), String(failed.length)])
      return [name, testcase.length, failed.length]
    })
    expect(numbers).toEqual([
      ['convsim.violations', 1, 1],
      ['convsim.unexpected', 2, 0],
      ['convsim.retries', 1, 1],
      ['convsim.advice', 1, 0],
      ['convsim.coverage', allOperations.length + 2, 1],
    ])
    expect(testsuites).toMatchObject({ tests: String(7 + allOperations.length), failures: '3', errors: '0' })
  })

  test('has a passing case for each section without findings', async () => {
    const { testsuites } = parser.parse((await fetchReport(await startForTest(), 'format=junit')).text)
    expect(testsuites).toMatchObject({ tests: String(4 + allOperations.length), failures: '0' })
  })
})

interface Suite {
  readonly name: string
  readonly tests: string
  readonly failures: string
  readonly testcase: readonly { readonly failure?: unknown }[]
}

test('GitHub annotations are errors for failing findings and conditions, else warnings', async () => {
  const own = await startForTest({ failOn: 'violation,coverage<90' })
  await runSampleSuite(own)
  const { text } = await fetchReport(own, 'format=github')
  const levels = text.split('\n').flatMap((line) => line.split('::')[1] ?? [])
  expect(levels).toEqual(['error', 'warning', 'warning', 'warning', 'notice', 'error', 'error'])
  expect(text).toMatch(/^::error::--fail-on: \d\.\d%25 of the contract covered, 90%25 required$/m)
})

test('a report is not good if a coverage condition alone fails it', async () => {
  const own = await startForTest({ failOn: 'coverage<90' })
  const { text } = await fetchReport(own, 'format=html')
  expect(text).toContain('<p class="verdict bad">A --fail-on condition is met</p>')
})

test('HTML is a single page without scripts and external resources', async () => {
  const own = await startForTest()
  await runSampleSuite(own)
  const { text } = await fetchReport(own, 'format=html')
  expect(text).toMatch(/^<!doctype html>/)
  expect(text).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|url\(|@import|\son\w+=/i)
  const links = Array.from(text.matchAll(/href="([^"]*)"/g), ([, to = '']) => to)
  for (const to of links) {
    expect(to).toMatch(/^#/)
    expect(text).toContain(`id="${to.slice(1)}"`)
  }
})
