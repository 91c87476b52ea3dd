import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/command-line/parser/parse.ts'
import { commands } from '../../../src/features/commands.ts'
import { renderClientReport } from '../../../src/server/reports/client-page.ts'
import {
  findReportProblem,
  parseReportTargets,
  type ReportTarget,
  reportFormats,
  writeReportFile,
} from '../../../src/server/reports/formats/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { cleanReport } from './clean-report.ts'

const writeReport = ({ file, format }: ReportTarget) => writeReportFile(file, renderClientReport(format, cleanReport))

/** Returns the only target in a `--report` value. Throws if there is not exactly one. */
function targetOf(text: string) {
  const [target, ...others] = parseReportTargets(text) ?? []
  if (!target || others.length > 0) throw new Error(`${text} does not specify exactly one target`)
  return target
}

const formatsWithExtension = Object.values(reportFormats).filter((format) => 'extension' in format)

test.each(formatsWithExtension)('the extension $extension selects the format, even in uppercase', async (format) => {
  const file = join(await tempFolder(), `a.b${format.extension.toUpperCase()}`)
  expect(parseCommandLine(commands, ['--report', file], {})).toMatchObject({ kind: 'run', settings: { report: file } })
  expect(await findReportProblem([targetOf(file)])).toBeUndefined()
  expect(await writeReport(targetOf(file))).toBeUndefined()
  expect(await readFile(file, 'utf8')).toBe(renderClientReport(format, cleanReport))
})

test.each(Object.entries(reportFormats))('%s=FILE selects the format, whatever the file name', async (name, format) => {
  const file = join(await tempFolder(), 'summary')
  expect(await writeReport(targetOf(`${name}=${file}`))).toBeUndefined()
  expect(await readFile(file, 'utf8')).toBe(renderClientReport(format, cleanReport))
})

test('text before the first equals sign is part of the file name unless it is a format name', () => {
  expect(targetOf('build=7.json')).toEqual({ file: 'build=7.json', format: reportFormats.json })
  expect(targetOf('junit=a=b.md')).toEqual({ file: 'a=b.md', format: reportFormats.junit })
})

const invalid = ['report', 'report.pdf', '.json', 'a/.md', 'a\\.md', 'markdown=', 'pdf=report', 'a.md,b', 'a.md,']
test.each(invalid)('--report %s is refused', (value) => {
  expect(parseCommandLine(commands, ['--report', value], {})).toMatchObject({ kind: 'problem' })
})
