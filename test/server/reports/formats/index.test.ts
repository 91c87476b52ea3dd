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

/** Fetches a report and returns its status, media type and text. */
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
 * Replaces the parts of a report that differ between runs or Node versions: times, pauses, the digest of the contract,
 * and the arguments of curl commands, which `request-trace.test.ts` covers. In Markdown, keeps only the first command.
 */
const withoutRunDetails = (text: string) =>
  text
    .replaceAll(/curl --globoff(?:.*\\\n)+[^<\n]*/g, 'curl ...')
    .replaceAll(/(?<=<\/details>[\s\S]*)<details>[\s\S]*?<\/details>/g, '(curl, as above)')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:...')
    .replaceAll(/(?<=: after )[\d.]+(?= s \()/g, '(pause)')
    .replaceAll(/\b(?!2026-01-15T12:00:00)20\d\d-\d\d-\d\dT[\d:.]+Z/g, '(now)')

/** Shortens each list in a JSON report to its first item and a count, so that a person can review the golden file. */
const withShortLists = (json: string) => {
  const shorten = (_name: string, value: unknown) => {
    if (typeof value === 'string') return withoutRunDetails(value)
    return Array.isArray(value) && value.length > 1 ? [value[0], `and ${value.length - 1} more`] : value
  }
  return `${inLines(JSON.parse(json, shorten), 200)}\n`
}

const decodeEntities = (text: string) =>
  Object.entries({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }).reduce(
    (result, [entity, character]) => result.replaceAll(entity, character),
    text,
  )

describe('the report on a sample suite of six calls', () => {
  const createReader = async () => {
    // Serves only two paths, so that new operations in the bundled document do not change the golden files.
    const target = await startForTest({ contract: await documentOfPaths('/prompts', '/events') })
    await runSampleSuite(target)
    return (format: string) => fetchReport(target, `format=${format}`)
  }

  test.each(formats)('is the same every time it is read: format=$format', async ({ format, extension, mediaType }) => {
    const read = await createReader()
    const first = await read(format)
    expect(first).toMatchObject({ status: 200, mediaType })
    expect(withoutRunDetails((await read(format)).text)).toBe(withoutRunDetails(first.text))
    if (['html', 'junit'].includes(format)) return // see the next test
    const text = format === 'json' ? withShortLists(first.text) : withoutRunDetails(first.text)
    await compareGolden('test/server/reports', () =>
      expect(text).toMatchFileSnapshot(`../golden/report.golden${extension}`),
    )
  })

  test.each(['html', 'junit'])('has the same findings and coverage counts in %s as in JSON', async (format) => {
    const read = await createReader()
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
})

test('a report is JSON by default, and an unknown format is refused with the list of formats', async () => {
  expect((await fetchReport(sim(), '')).mediaType).toBe(reportFormats.json.mediaType)
  const { status, text } = await fetchReport(sim(), 'format=pdf')
  expect(status).toBe(400)
  expect(text).toMatch(/json.*junit.*markdown.*html.*github.*text/)
})

describe('a JUnit report', () => {
  const isArray = (name: string) => ['testsuite', 'testcase'].includes(name)
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', isArray })

  test('is valid XML and contains a failure for each --fail-on condition that is met', async () => {
    const target = await startForTest({ failOn: 'violation,retry,coverage<90,coverage<1' })
    await runSampleSuite(target)
    const { text } = await fetchReport(target, 'format=junit')
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

  test('has a passing test case for each section without findings', async () => {
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

test('GitHub annotations are errors for findings that fail the run, and warnings or notices otherwise', async () => {
  const target = await startForTest({ failOn: 'violation,coverage<90' })
  await runSampleSuite(target)
  const { text } = await fetchReport(target, 'format=github')
  const levels = text.split('\n').flatMap((line) => line.split('::')[1] ?? [])
  expect(levels).toEqual(['error', 'warning', 'warning', 'warning', 'notice', 'error', 'error'])
  expect(text).toMatch(/^::error::--fail-on: \d\.\d%25 of the contract covered, 90%25 required$/m)
})

test('an HTML report shows a failed verdict even if only a coverage condition fails the run', async () => {
  const target = await startForTest({ failOn: 'coverage<90' })
  const { text } = await fetchReport(target, 'format=html')
  expect(text).toContain('<p class="verdict bad">A --fail-on condition is met</p>')
})

test('an HTML report is a single page without scripts or external resources', async () => {
  const target = await startForTest()
  await runSampleSuite(target)
  const { text } = await fetchReport(target, 'format=html')
  expect(text).toMatch(/^<!doctype html>/)
  expect(text).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|url\(|@import|\son\w+=/i)
  const links = Array.from(text.matchAll(/href="([^"]*)"/g), ([, href = '']) => href)
  for (const href of links) {
    expect(href).toMatch(/^#/)
    expect(text).toContain(`id="${href.slice(1)}"`)
  }
})
