import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../src/config/arguments.ts'
import { parseGates } from '../../src/reports/fail-on.ts'
import { reportFormats } from '../../src/reports/formats/index.ts'
import type { Report } from '../../src/reports/report.ts'
import { findReportFileProblem, writeReportFile } from '../../src/reports/report-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

const none = { list: [], further: 0 }

const clean: Report = {
  contract: { title: 'Service', version: '1' },
  sandbox: undefined,
  requests: 4,
  violations: 0,
  unexpected: 0,
  brokenRules: none,
  unexpectedAnswers: none,
  manners: none,
  coverage: { met: 8, points: 10, percent: 80, operations: [] },
}

function failuresOf(text: string, report: Partial<Report>): readonly string[] {
  const gates = parseGates(text) ?? []
  expect(gates.length).toBeGreaterThan(0)
  return gates.flatMap((gate) => gate({ ...clean, ...report }) ?? [])
}

describe('--fail-on', () => {
  const all = 'violation,unexpected,manners,coverage<80'

  test.each<{ text: string; report: Partial<Report>; says: readonly string[] }>([
    { text: all, report: {}, says: [] },
    { text: 'violation', report: { violations: 2 }, says: ['2 requests broke the contract'] },
    { text: 'violation', report: { unexpected: 2 }, says: [] },
    { text: 'unexpected', report: { unexpected: 1 }, says: ['1 unexpected answer'] },
    { text: 'manners', report: { manners: { list: [], further: 3 } }, says: ['3 findings on manners'] },
    { text: 'coverage<80.1', report: {}, says: ['80 % of the contract covered, 80.1 % wanted'] },
    { text: 'coverage < 100 ', report: {}, says: ['80 % of the contract covered, 100 % wanted'] },
    {
      text: all,
      report: { violations: 1, unexpected: 1 },
      says: ['1 request broke the contract', '1 unexpected answer'],
    },
  ])('$text', ({ text, report, says }) => {
    expect(failuresOf(text, report)).toEqual(says)
  })

  test.each([
    '',
    ',',
    'violations',
    'violation,',
    'coverage',
    'coverage<',
    'coverage<101',
    'coverage>80',
    'toString',
  ])('takes no "%s"', (text) => expect(parseGates(text)).toBeUndefined())
})

describe('--report', () => {
  test.each(Object.values(reportFormats))('takes and writes a file that ends in $extension', async (form) => {
    const file = join(await tempFolder(), `a.b${form.extension.toUpperCase()}`)
    expect(readSettings(['--report', file], {})).toMatchObject({ kind: 'run', settings: { report: file } })
    expect(await findReportFileProblem(file)).toBeUndefined()
    expect(await writeReportFile(file, clean)).toBeUndefined()
    expect(await readFile(file, 'utf8')).toBe(form.render(clean))
  })

  test.each(['report', 'report.pdf', '.json', 'a/.md'])('takes no %s', (file) => {
    expect(readSettings(['--report', file], {})).toMatchObject({ kind: 'problem' })
  })

  test('says why a file cannot be written, before and after', async () => {
    const folder = await tempFolder()
    expect(await findReportFileProblem(join(folder, 'x', 'a.md'))).toMatch(/there is no folder .*x\. Make it/)
    const file = join(folder, 'gone', 'a.md')
    expect(await writeReportFile(file, clean)).toMatch(/--report .*a\.md: cannot be written: ENOENT/)
    await mkdir(join(folder, 'b.md'))
    expect(await findReportFileProblem(join(folder, 'b.md'))).toMatch(/that is a folder, not a file/)
  })
})
