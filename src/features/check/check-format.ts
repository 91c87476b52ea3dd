import type { Finding } from '../../base/documents/finding.ts'
import { renderPrinted } from '../../server/reports/formats/index.ts'
import type { Page, PageFinding } from '../../server/reports/page/page.ts'
import type { CheckResult } from './check.ts'

/** Formats the results of `convsim check` in a form of `--format`. */
export function formatChecks(results: readonly CheckResult[], format: Parameters<typeof renderPrinted>[0]): string {
  return renderPrinted(
    format,
    () => results.map(toCheckPage),
    () => ({ ok: results.every(isFit), files: results.map(resultToJson) }),
  )
}

const isFit = ({ summary }: CheckResult) => summary !== ''

function resultToJson({ file, findings, summary }: CheckResult) {
  const located = findings.map(({ severity, place, message }) => {
    const found = readPlace(place)
    const { file, ...position } = found ?? { file: place }
    return { severity, place: file, ...position, message }
  })
  return { file, ok: summary !== '', summary, findings: located }
}

/** Describes the result for one file or folder. */
function toCheckPage(result: CheckResult): Page {
  const { file, findings, summary } = result
  const isGood = isFit(result)
  const listed = { kind: 'findings', findings: findings.map(fileFindingToPage) } as const
  return {
    subject: { title: file, version: '' },
    heading: 'checked',
    verdict: { text: `${file}: ${isGood ? `ok, ${summary}` : 'not fit to be served'}`, isGood },
    sections: findings.length === 0 ? [] : [{ key: 'findings', title: 'Findings', blocks: [listed] }],
  }
}

function fileFindingToPage({ severity, place, message }: Finding): PageFinding {
  return { severity, title: place, place: readPlace(place), sentence: message }
}

/** Splits `spec/openapi.yaml:12:5` into its parts; undefined for a place without a line, such as `--scenario`. */
function readPlace(place: string): PageFinding['place'] {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(place) ?? []
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) }
}
