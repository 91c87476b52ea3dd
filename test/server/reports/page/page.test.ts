import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { renderHtml } from '../../../../src/server/reports/page/html.ts'
import { renderJunit } from '../../../../src/server/reports/page/junit.ts'
import { renderMarkdown } from '../../../../src/server/reports/page/markdown.ts'
import type { Page, PageFinding } from '../../../../src/server/reports/page/page.ts'
import { stylesheet, stylesheetSource } from '../../../../src/server/reports/page/stylesheet.ts'
import { renderGithub, renderText } from '../../../../src/server/reports/page/text.ts'

/** Text that would break the output of every format if the renderer did not escape it. */
const hostile =
  '# <script>"&\'</pre></style>]]>--|`x`*_[x](y)\u0000\u001b[2J\u202e\ud800\uffff\r\n' +
  '::error::x\n##[add-mask]x\n```\n# h'

const finding: PageFinding = {
  severity: 'error',
  title: hostile,
  sentence: hostile,
  notes: [hostile],
  details: [
    { title: '', lines: [hostile] },
    { title: hostile, lines: [hostile, 'second'] },
  ],
}

/** Returns a page with `text` in every text field, except in the findings, which contain `hostile`. */
const pageOf = (text: string): Page => ({
  subject: { title: text, version: text },
  heading: text,
  verdict: { text, isGood: false },
  summary: [text],
  facts: [text],
  failed: [text],
  numbers: [{ value: text, label: text, section: text, isGood: true }],
  sections: [
    {
      key: 'findings',
      title: text,
      blocks: [
        { kind: 'lines', lines: [text] },
        { kind: 'lines', lines: [text, text] },
        { kind: 'table', head: [text], rows: [[text]], states: ['bad'] },
        { kind: 'findings', findings: [finding, { ...finding, place: { file: text, line: 1, column: 2 } }] },
      ],
    },
    { key: 'other', title: text, blocks: [] },
  ],
  cases: [
    { suite: text, name: text, state: 'failed', text, message: text },
    { suite: text, name: text, state: 'passed', text },
    { suite: text, name: text, state: 'skipped', text },
  ],
})

describe('hostile text', () => {
  test('is a single line in a terminal, without control characters', () => {
    const lines = renderText(pageOf(hostile)).split('\n')
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
    expect(lines.filter((line) => /^(::|#)/.test(line)).every((line) => line.startsWith('# <script>'))).toBe(true)
  })

  test('is plain text in Markdown, or code in fences that it cannot close', () => {
    const markdown = renderMarkdown(pageOf(hostile))
    const outsideFences = markdown.replace(/^(`{3,})(sh)?\n.*?\n\1$/gms, '')
    expect(outsideFences).toContain('&lt;script&gt;"&amp;')
    expect(outsideFences).not.toMatch(/<script|[^\\]\[x\]|[^\\]`x|[^\\|\s-]\|(?!$)|\*_/)
    expect(outsideFences.match(/^#+ /gm)).toEqual(['# ', '## ', '### ', '### ', '## '])
    expect(markdown.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  test('is plain text in HTML, and the page’s content security policy forbids scripts', () => {
    const html = renderHtml(pageOf(hostile))
    const body = html.slice(html.indexOf('</style>') + '</style>'.length)
    expect(body).not.toMatch(/<script|<\/style|\sx="|[\u202e\ud800]/)
    expect(body.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(html).toContain(`content="default-src 'none'; style-src ${stylesheetSource}"`)
    expect(html.match(/<h1>/g)).toHaveLength(1)
  })

  test('is plain text in XML and contains only valid characters', () => {
    const xml = renderJunit(pageOf(hostile))
    expect(XMLValidator.validate(xml)).toBe(true)
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml)
    expect(testsuites).toMatchObject({ '@_tests': '3', '@_failures': '1' })
    expect(testsuites.testsuite.testcase).toHaveLength(3)
    expect(xml.replaceAll(/[\n\r]/g, '')).not.toMatch(/\p{Cc}|\uffff/u)
  })

  test('cannot start or end a GitHub workflow command', () => {
    const lines = renderGithub(pageOf(hostile)).split('\n')
    const withLocation = expect.stringMatching(/^error file=[^,:]*,line=1,col=2$/)
    expect(lines.map((line) => line.split('::')[1])).toEqual(['error', withLocation, 'error', 'error', 'error'])
    expect(lines.slice(3).every((line) => line.startsWith('# '))).toBe(true)
    const commandLines = renderGithub({ ...pageOf(' ::stop-commands::x'), sections: [] }).split('\n')
    expect(commandLines.slice(1)).toEqual(['\\ ::stop-commands::x', '\\ ::stop-commands::x'])
    expect(lines.slice(3).join('')).not.toContain('##[')
  })
})

test('the stylesheet cannot close its style element', () => {
  expect(stylesheet).not.toContain('</')
})

test('findings that do not fit into the summary of a CI step are counted', () => {
  const long = { ...finding, title: 'x', sentence: 'y'.repeat(10_000), details: [] }
  const findings = Array.from({ length: 200 }, () => long)
  const sections = [{ key: 'a', title: 'b', blocks: [{ kind: 'findings', findings } as const] }]
  const markdown = renderMarkdown({ ...pageOf('z'), sections })
  expect(markdown.length).toBeLessThan(1_000_000)
  const shown = markdown.match(/^### /gm)?.length ?? 0
  expect(markdown).toContain(`Findings listed only in the other formats: ${200 - shown}.`)
})
