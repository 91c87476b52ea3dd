import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../src/config/arguments.ts'
import { reportFormats } from '../../src/reports/formats/index.ts'
import { findReportFileProblem, writeReportFile } from '../../src/reports/report-file.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cleanReport } from './clean-report.ts'

test.each(Object.values(reportFormats))(
  'a file that ends in $extension is accepted and written',
  async ({ extension, render }) => {
    const file = join(await tempFolder(), `a.b${extension.toUpperCase()}`)
    expect(parseCommandLine(['--report', file], {})).toMatchObject({
      kind: 'run',
      settings: { report: file },
    })
    expect(await findReportFileProblem(file)).toBeUndefined()
    expect(await writeReportFile(file, cleanReport)).toBeUndefined()
    expect(await readFile(file, 'utf8')).toBe(render(cleanReport))
  },
)

test.each(['report', 'report.pdf', '.json', 'a/.md', 'a\\.md'])('the file %s is refused', (file) => {
  expect(parseCommandLine(['--report', file], {})).toMatchObject({ kind: 'problem' })
})

test('a refused file is answered with the extension of every format', () => {
  expect(parseCommandLine(['--report', 'report.pdf'], {})).toMatchObject({
    problem: expect.stringContaining('the format: .json, .xml (JUnit), .md or .html.'),
  })
})

test('the reason why a file cannot be written is known before and after', async () => {
  const folder = await tempFolder()
  expect(await findReportFileProblem(join(folder, 'x', 'a.md'))).toMatch(/there is no folder .*x\. Make it/)
  const file = join(folder, 'gone', 'a.md')
  expect(await writeReportFile(file, cleanReport)).toMatch(/--report .*a\.md: cannot be written: ENOENT/)
  await mkdir(join(folder, 'b.md'))
  expect(await findReportFileProblem(join(folder, 'b.md'))).toMatch(/that is a folder, not a file/)
})
