import type { ControlSchemas } from './transport.ts'

/** The kinds of findings about a client. */
export const findingKinds = ['violations', 'unexpected', 'manners'] as const
export type FindingKind = (typeof findingKinds)[number]

/** Refuses kinds that do not exist: a misspelt one would allow nothing, and a text could allow what it contains. */
export function refuseUnknownKinds(kinds: unknown): void {
  const names: readonly string[] = findingKinds
  if (Array.isArray(kinds) && kinds.every((kind) => names.includes(kind))) return
  throw new Error(`The kinds of findings are ${names.join(', ')}, as a list; got ${JSON.stringify(kinds)}.`)
}

/** Describes a verdict that is not as expected, with the requests that come closest; undefined: it is as expected. */
export function expectationProblem(verdict: ControlSchemas['Verdict']): string | undefined {
  if (verdict.satisfied) return undefined
  // The message has the nearest.
  const further = verdict.nearMisses
    .slice(1)
    .flatMap(({ id, method, path, status, differences }) => [
      `  ${method} ${path} ${status} (${id}) differs:`,
      ...differences.map(
        ({ field, expected, actual }) =>
          `    ${field}: expected ${JSON.stringify(expected)}, was ${JSON.stringify(actual) ?? 'not sent'}`,
      ),
    ])
  return [verdict.message, ...(verdict.problem === undefined ? [] : [verdict.problem]), ...further].join('\n')
}

/** Describes the findings of a report, one paragraph for each kind; undefined: there are none. */
export function findingsProblem(report: ControlSchemas['Report'], kinds: readonly FindingKind[]): string | undefined {
  const paragraphs = kinds.flatMap((kind) => {
    const lines = describeFindings[kind](report)
    return lines.length === 0 ? [] : [headings[kind], ...lines]
  })
  return paragraphs.length === 0 ? undefined : paragraphs.join('\n')
}

const headings: Readonly<Record<FindingKind, string>> = {
  violations: 'Requests broke the contract:',
  unexpected: 'Requests were refused, although no scenario asked for it:',
  manners: 'The client has bad manners:',
}

const describeFindings: Readonly<Record<FindingKind, (report: ControlSchemas['Report']) => string[]>> = {
  violations: ({ violations }) => [
    ...violations.findings.map((finding) => {
      const place = `${finding.in}${finding.pointer}`
      return `  ${finding.operation}: ${place} ${finding.message}${describeRequests(finding)}`
    }),
    ...describeFurther(violations.further),
  ],
  unexpected: ({ unexpected }) => [
    ...unexpected.findings.map((finding) => {
      const call = finding.operation || `${finding.method} ${finding.path}`
      return `  ${call}: ${finding.status} ${finding.message}${describeRequests(finding)}`
    }),
    ...describeFurther(unexpected.further),
  ],
  manners: ({ manners }) => [
    ...manners.findings.map((finding) => `  ${finding.operation}: ${finding.sentence}${describeRequests(finding)}`),
    ...describeFurther(manners.further),
  ],
}

/** Describes the requests of a finding: ` (2 requests, first: req-3)`. */
function describeRequests({
  count,
  requests,
}: {
  readonly count: number
  readonly requests: readonly string[]
}): string {
  return ` (${count === 1 ? 'request' : `${count} requests, first:`} ${requests[0]})`
}

const describeFurther = (further: number) => (further === 0 ? [] : [`  ... and ${further} further findings.`])
