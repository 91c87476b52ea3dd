/**
 * The table of report formats, for the `--report` setting and the control plane. `page/` has a renderer for every
 * format except JSON.
 */

import { stat } from 'node:fs/promises'
import { dirname, win32 } from 'node:path'
import { reasonOf } from '../../../base/core/result.ts'
import { writePrivateFile } from '../../../base/documents/private-file.ts'
import type { Finding } from '../../../base/documents/source.ts'
import { renderHtml } from '../page/html.ts'
import { renderJunit } from '../page/junit.ts'
import { renderMarkdown } from '../page/markdown.ts'
import type { Page } from '../page/page.ts'
import { renderGithub, renderText } from '../page/text.ts'

export interface ReportFormat {
  readonly mediaType: string
  /** The extension in lower case, such as `.xml`; absent if no extension selects the format. */
  readonly extension?: string
  /** The display name, if the extension does not imply it, such as `JUnit` for `.xml`. */
  readonly label?: string
  readonly render: (page: Page) => string
}

const renderJson = ({ json }: Page) => JSON.stringify(json, null, 2)

/** All report formats, by their names in `GET /__sim/report?format=NAME`. */
export const reportFormats = {
  json: { mediaType: 'application/json; charset=utf-8', extension: '.json', render: renderJson },
  junit: { mediaType: 'application/xml; charset=utf-8', extension: '.xml', label: 'JUnit', render: renderJunit },
  markdown: { mediaType: 'text/markdown; charset=utf-8', extension: '.md', render: renderMarkdown },
  html: { mediaType: 'text/html; charset=utf-8', extension: '.html', render: renderHtml },
  github: { mediaType: 'text/plain; charset=utf-8', render: renderGithub },
  text: { mediaType: 'text/plain; charset=utf-8', render: renderText },
} as const satisfies Record<string, ReportFormat>

/** The extensions that select a format, as a list in words: `.json, .xml (JUnit), .md or .html`. */
export const reportExtensions = Object.values<ReportFormat>(reportFormats)
  .flatMap(({ extension = [], label }) => (label === undefined ? extension : `${extension} (${label})`))
  .join(', ')
  .replace(/, ([^,]*)$/, ' or $1')

export function isReportFormat(name: string): name is keyof typeof reportFormats {
  return Object.hasOwn(reportFormats, name)
}

export interface ReportTarget {
  readonly file: string
  readonly format: ReportFormat
}

/** Parses `--report`: `out/report.html,markdown=summary`. Returns undefined if a part has no valid format or file. */
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
  const extension = win32.extname(text).toLowerCase() // `win32` accepts slashes and backslashes
  const format = Object.values<ReportFormat>(reportFormats).find((each) => each.extension === extension)
  return format && { file: text, format }
}

/** Returns an error for the first target that is a folder or is in a missing folder; undefined if all are valid. */
export async function findReportProblem(targets: readonly ReportTarget[]): Promise<Finding | undefined> {
  for (const { file } of targets) {
    const message = await findTargetProblem(file)
    if (message !== undefined) return { severity: 'error', place: file, message, flag: '--report' }
  }
  return undefined
}

export async function findTargetProblem(file: string): Promise<string | undefined> {
  if (!(await isFolder(dirname(file)))) return `there is no folder ${dirname(file)}. Create it first.`
  return /[\\/]$/.test(file) || (await isFolder(file)) ? 'is a folder, not a file.' : undefined
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

/** Writes a report. @returns a message if the file cannot be written, undefined otherwise */
export async function writeReportFile(file: string, text: string): Promise<string | undefined> {
  try {
    await writePrivateFile(file, text)
    return undefined
  } catch (error) {
    return `--report ${file}: cannot be written: ${reasonOf(error)}`
  }
}

export function renderReport({ render }: ReportFormat, page: Page): string {
  return `${render(page)}\n`
}

const printers = { text: renderText, github: renderGithub, markdown: renderMarkdown }

export type PrintedFormat = keyof typeof printers | 'json'

/** Renders the output of a command: its pages in order, or a JSON document. */
export function renderPrinted(format: PrintedFormat, pages: readonly Page[], json: object): string {
  if (format === 'json') return JSON.stringify(json, null, 2)
  return pages.map(printers[format]).join(format === 'markdown' ? '\n\n' : '\n')
}
