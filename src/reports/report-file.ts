import { stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reasonOf } from '../core/result.ts'
import { formatOfFile } from './formats/index.ts'
import type { Report } from './report.ts'

/** Finds a problem that would prevent the report from being written to a file at the end of the run; undefined: none. */
export async function findReportFileProblem(file: string): Promise<string | undefined> {
  const folder = await stat(dirname(file)).catch(() => undefined)
  if (!folder?.isDirectory()) return `--report ${file}: there is no folder ${dirname(file)}. Make it first.`
  const existing = await stat(file).catch(() => undefined)
  return existing?.isDirectory() ? `--report ${file}: that is a folder, not a file.` : undefined
}

/** Writes a report in the format of the file's extension. @returns the reason of a failure; undefined for success */
export async function writeReportFile(file: string, report: Report): Promise<string | undefined> {
  const format = formatOfFile(file)
  if (!format) throw new Error(`--report ${file} was accepted, but no format has its extension`)
  try {
    await writeFile(file, format.render(report))
    return undefined
  } catch (error) {
    return `--report ${file}: cannot be written: ${reasonOf(error)}`
  }
}
