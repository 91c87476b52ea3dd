import { formatOfFile, isReportFormat, reportFormats } from './formats/index.ts'
import type { ReportFormat } from './formats/report-format.ts'

/** A file that a report is written to at the end, and the report's format. */
export interface ReportTarget {
  readonly file: string
  readonly format: ReportFormat
}

/** Parses `--report`: `out/report.html,markdown=summary`. Returns undefined if a part has no format or no name. */
export function parseReportTargets(text: string): readonly ReportTarget[] | undefined {
  const targets = text.split(',').map((part) => parseTarget(part.trim()))
  return targets.every((target) => target !== undefined) ? targets : undefined
}

function parseTarget(text: string): ReportTarget | undefined {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  if (isReportFormat(name)) {
    const file = text.slice(at + 1)
    return file === '' ? undefined : { file, format: reportFormats[name] }
  }
  const format = formatOfFile(text)
  return format && { file: text, format }
}
