import type { Report } from '../report.ts'

/** A format of a report. */
export interface ReportFormat {
  /** The `Content-Type` of `GET /__sim/report`. */
  readonly mediaType: string
  /** The extension of a file in this format, in lower case: `.xml`. */
  readonly extension: string
  /** The name of a format whose extension does not say it: `JUnit` for `.xml`; default: none. */
  readonly label?: string
  readonly render: (report: Report) => string
}
