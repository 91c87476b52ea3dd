import { countFindings, pluralize, type Report } from './report.ts'

/** What a run can fail on, besides a share of coverage. */
const kinds = {
  violation: ({ violations }: Report) =>
    violations > 0 ? `${pluralize(violations, 'request')} broke the contract` : undefined,
  unexpected: ({ unexpected }: Report) =>
    unexpected > 0 ? pluralize(unexpected, 'unexpected answer') : undefined,
  manners: ({ manners }: Report) =>
    countFindings(manners) > 0 ? `${pluralize(countFindings(manners), 'finding')} on manners` : undefined,
} as const

/** Says why a report does not pass; undefined where it does. */
export type FailCondition = (report: Report) => string | undefined

/** `violation,unexpected,manners,coverage<80`; undefined for anything else. */
export function parseGates(text: string): readonly FailCondition[] | undefined {
  const gates = text.split(',').map((word) => gateOf(word.trim()))
  return gates.every((gate) => gate !== undefined) ? gates : undefined
}

function gateOf(word: string): FailCondition | undefined {
  const [, share] = /^coverage\s*<\s*(\d{1,3}(?:\.\d)?)$/.exec(word) ?? []
  if (share !== undefined && Number(share) <= 100) return coverageBelow(Number(share))
  return Object.hasOwn(kinds, word) ? kinds[word as keyof typeof kinds] : undefined
}

function coverageBelow(wanted: number): FailCondition {
  return ({ coverage: { percent } }) =>
    percent < wanted ? `${percent} % of the contract covered, ${wanted} % wanted` : undefined
}
