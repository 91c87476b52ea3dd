import type { ControlSchemas } from './transport.ts'

export const findingKinds = ['violation', 'unexpected', 'retry'] as const
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

/** Describes the findings but for the `allow`ed kinds; undefined for none. `allowing`: the code that allows a kind. */
export async function findingsProblem(
  sandbox: {
    report(): Promise<ControlSchemas['Report']>
    retryProblems(): Promise<readonly ControlSchemas['RetryProblem'][]>
  },
  allow: readonly FindingKind[],
  allowing: (kind: FindingKind) => string,
): Promise<string | undefined> {
  refuseUnknownKinds(allow)
  const short = await sandbox.report()
  // A report has no pauses of the client, so that it is the same in every run.
  const lapses = short.retries.findings.length > 0 ? await sandbox.retryProblems() : []
  const report = { ...short, retries: { ...short.retries, findings: [...lapses] } }
  const found = sections.filter((name) => !allow.includes(kindOf(name)) && describeFindings[name](report).length > 0)
  if (found.length === 0) return undefined
  const paragraphs = found.flatMap((name) => [headings[name], ...describeFindings[name](report)])
  return [...paragraphs, ...found.map((name) => `${ways[name]} ${allowing(kindOf(name))}`)].join('\n')
}

/** The findings of negative tests that were not refused are `unexpected` ones, and have a text of their own. */
const sections = [...findingKinds, 'unmet'] as const
type Section = (typeof sections)[number]

const kindOf = (section: Section): FindingKind => (section === 'unmet' ? 'unexpected' : section)

const headings: Readonly<Record<Section, string>> = {
  violation: 'Requests broke the contract:',
  unexpected: 'Requests were refused, although no scenario asked for it:',
  unmet: 'Requests were declared as negative tests, and were none:',
  retry: 'The client has retry problems:',
}

const ways: Readonly<Record<Section, string>> = {
  violation: "Wrong on purpose? await sim.scenario('expect-violation') before the request declares it. Or:",
  unexpected: "Meant to be refused? await sim.scenario('expect-refusal') before the request declares it. Or:",
  unmet: 'Is the declaration wrong? Remove X-Sim-Expect, or the rule expect-refusal or expect-violation. Or:',
  retry: 'Does the client behave so on purpose? Then:',
}

const describeFindings: Readonly<Record<Section, (report: ControlSchemas['Report']) => string[]>> = {
  violation: ({ violations }) => [
    ...violations.findings.map((finding) => {
      const place = `${finding.in}${finding.pointer}`
      return `  ${finding.operation}: ${place} ${finding.message}${describeRequests(finding)}`
    }),
    ...describeFurther(violations.further),
  ],
  unexpected: ({ unexpected }) => [...describeResponses(unexpected, false), ...describeFurther(unexpected.further)],
  unmet: ({ unexpected }) => describeResponses(unexpected, true),
  retry: ({ retries }) => [
    ...retries.findings.map((finding) => `  ${finding.operation}: ${describeLapse(finding)}`),
    ...describeFurther(retries.further),
  ],
}

function describeResponses({ findings }: ControlSchemas['Report']['unexpected'], areUnmet: boolean): string[] {
  return findings
    .filter(({ message }) => message.startsWith('The request was expected to ') === areUnmet)
    .map((finding) => {
      const call = finding.operation || `${finding.method} ${finding.path}`
      return `  ${call}: ${finding.status} ${finding.message}${describeRequests(finding)}`
    })
}

/** Describes a broken retry rule: `A 429 asked to wait for 30 s, ...: after 0.3 s (req-5, then req-6)`. */
function describeLapse(finding: ControlSchemas['RetryProblem']): string {
  const { rule, sentence, waitedMs, requests } = finding
  if (rule === 'user-agent' || rule === 'content-type') return `${sentence}${describeRequests(finding)}`
  const [failed, retry] = requests
  const pause = waitedMs === undefined ? '' : `: after ${Math.round(waitedMs / 10) / 100} s`
  return `${pause === '' ? sentence : sentence.replace(/\.$/, '')}${pause} (${failed}, then ${retry})`
}

/** Describes the requests of a finding: ` (2 requests, first: req-3)`. */
function describeRequests(finding: { readonly count: number; readonly requests: readonly string[] }): string {
  const { count, requests } = finding
  return ` (${count === 1 ? 'request' : `${count} requests, first:`} ${requests[0]})`
}

const describeFurther = (further: number) => (further === 0 ? [] : [`  ... and ${further} further findings.`])
