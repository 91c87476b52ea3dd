import { type CountedFinding, findingKinds, reportedKinds } from '../findings.ts'
import { judgeFailOn, listUnapplied, pluralize, type Report } from '../report.ts'

const negativeTests = {
  gate: 'unexpected',
  heading: 'Requests did not meet their declared expectations:',
  hint: 'If the expectation is wrong, remove the X-Sim-Expect header, or the expect-refusal or expect-violation rule.',
}
const isNegativeTest = ({ members }: CountedFinding) =>
  String(members['message']).startsWith('The request was expected to ')

/**
 * Returns a report's lines in the text format, for the output of failed tests: the findings and unapplied rules that
 * `--fail-on` counts (by default, all except advice), the `coverage` and `no-requests` conditions met, and hints.
 */
export function listTestOutput(report: Report): string[] {
  const { failOn } = report.run
  const isShown = (gate: string) => (failOn.length === 0 ? gate !== 'advice' : failOn.some(({ kind }) => kind === gate))
  const findingGroups = reportedKinds.flatMap((kind) => {
    const { list, further } = report.findings[kind]
    const describe = (findings: readonly CountedFinding[]) => findings.map(describeFinding)
    const rest = further === 0 ? [] : [`... and ${pluralize(further, 'further finding')}.`]
    return [
      { ...findingKinds[kind], lines: [...describe(list.filter((finding) => !isNegativeTest(finding))), ...rest] },
      { ...negativeTests, lines: describe(list.filter(isNegativeTest)) },
    ]
  })
  const unmet = {
    gate: 'unmet',
    heading: 'Rules were never applied:',
    hint: 'Send a request that the rule applies to, or remove the rule.',
    lines: listUnapplied(report).map(({ sentence }) => sentence),
  }
  const found = [...findingGroups, unmet].filter(({ gate, lines }) => isShown(gate) && lines.length > 0)
  const otherConditions = failOn.filter(({ kind }) => kind === 'coverage' || kind === 'no-requests')
  return [
    ...found.flatMap(({ heading, lines }) => [heading, ...lines.map((line) => `  ${line}`)]),
    ...judgeFailOn(report, otherConditions).map((sentence) => `--fail-on: ${sentence}.`),
    ...found.map(({ hint }) => hint),
  ]
}

/** Describes a finding: `createEvent: A 429 asked for a wait of 3 s, ...: after 0.5 s (req-5, then req-6)`. */
function describeFinding({ members, waitedMs, count, requests }: CountedFinding): string {
  const { operation, method = '', path = 'no operation', status, in: part, pointer, message, sentence } = members
  const subject = operation || `${method} ${path}`.trim()
  const [first, second] = requests
  if (sentence === undefined)
    return `${subject}: ${status ?? `${part}${pointer}`} ${message} ${nameRequests(count, first)}`
  const pause = waitedMs === undefined ? '' : `: after ${Math.round(waitedMs / 10) / 100} s`
  const text = pause === '' ? sentence : `${String(sentence).replace(/\.$/, '')}${pause}`
  const isPair = requests.length > count // the failed request and its retry
  return `${subject}: ${text} ${isPair ? `(${first}, then ${second})` : nameRequests(count, first)}`
}

const nameRequests = (count: number, first = '') =>
  `(${count === 1 ? 'request' : `${count} requests, first:`} ${first})`
