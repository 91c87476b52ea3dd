import type { Page } from '../page/page.ts'

export interface ReportFormat {
  /** The `Content-Type` of `GET /__sim/report`. */
  readonly mediaType: string
  /** The extension in lower case: `.xml`; without one `--report NAME=FILE` names the format. */
  readonly extension?: string
  /** The name of a format whose extension does not say it: `JUnit` for `.xml`; default: none. */
  readonly label?: string
  /** Renders the page of a report; default: the format is the JSON of the report itself. */
  readonly render?: (page: Page) => string
}
