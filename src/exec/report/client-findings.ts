import type { FindingsReport } from '../../reports/report.ts'
import { createSections } from '../../reports/sections.ts'

/** Lists the findings on the client in a run that the run without faults does not have: `manners: createEvent: retry-after: ...`. */
export function listClientFindings(report: FindingsReport, plain: FindingsReport | undefined): string[] {
  const known = new Set(plain ? listSentences(plain) : [])
  return listSentences(report).filter((sentence) => !known.has(sentence))
}

function listSentences(report: FindingsReport): string[] {
  return createSections(report)
    .filter(({ key }) => key !== 'advice')
    .flatMap(({ key, findings }) => findings.map(({ title, sentence }) => `${key}: ${title}: ${sentence}`))
}
