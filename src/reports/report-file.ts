import { stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formOfFile } from './formats/index.ts'
import type { Report } from './report.ts'

/** Why a report could not be written to this file, as far as can be told beforehand; undefined where it can. */
export async function problemOfReportFile(file: string): Promise<string | undefined> {
  const folder = await stat(dirname(file)).catch(() => undefined)
  if (!folder?.isDirectory()) return `--report ${file}: there is no folder ${dirname(file)}. Make it first.`
  const own = await stat(file).catch(() => undefined)
  return own?.isDirectory() ? `--report ${file}: that is a folder, not a file.` : undefined
}

/** Writes a report in the form that the file's extension says. @returns what went wrong; undefined where nothing did */
export async function writeReport(file: string, report: Report): Promise<string | undefined> {
  const form = formOfFile(file)
  if (!form) throw new Error(`${file} has no extension of a report, and was taken for one`)
  try {
    await writeFile(file, form.render(report))
    return undefined
  } catch (error) {
    return `--report ${file}: cannot be written: ${error instanceof Error ? error.message : error}`
  }
}
