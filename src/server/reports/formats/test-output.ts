import type { CountedFinding } from '../findings.ts'
import { judgeFailOn, listNeverActed, type Report } from '../report.ts'

/** What happened and what to do about it, by the condition of `--fail-on` that counts it. */
const sections = [
  {
    gate: 'violation',
    heading: 'Requests broke the contract:',
    hint: 'Wrong on purpose? Declare it before the request with the scenario expect-violation.',
    listLines: ({ findings }: Report) => listFindings(findings.violations),
  },
  {
    gate: 'unexpected',
    heading: 'Requests were refused, although no scenario asked for it:',
    hint: 'Meant to be refused? Declare it before the request with the scenario expect-refusal.',
    listLines: ({ findings: { unexpected } }: Report) =>
      listFindings({ ...unexpected, list: unexpected.list.filter((one) => !isUnmetExpectation(one)) }),
  },
  {
    gate: 'unexpected',
    heading: 'Requests were declared as negative tests, and were none:',
    hint: 'Is the declaration wrong? Remove X-Sim-Expect, or the rule expect-refusal or expect-violation.',
    listLines: ({ findings }: Report) =>
      listFindings({ list: findings.unexpected.list.filter(isUnmetExpectation), further: 0 }),
  },
  {
    gate: 'retry',
    heading: 'The client has retry problems:',
    hint: 'Does the client wait on fake timers? Advance the clock of the sandbox with them (sim.advanceTimers).',
    listLines: ({ findings }: Report) => listFindings(findings.retries),
  },
  {
    gate: 'unmet',
    heading: 'Rules never acted:',
    hint: 'Send the request that the rule is about, or remove the rule.',
    listLines: (report: Report) => listNeverActed(report).map(({ sentence }) => sentence),
  },
  {
    gate: 'advice',
    heading: 'A careful client does not send this:',
    hint: 'The service accepts it.',
    listLines: ({ findings }: Report) => listFindings(findings.advice),
  },
] as const

/**
 * Lists the findings for the output of a failed test, without coverage and commands: those that `--fail-on` counts, or
 * without it all but advice. Empty for none.
 */
export function listTestOutput(report: Report): string[] {
  const { failOn } = report.run
  const isShown = (gate: string) => (failOn.length === 0 ? gate !== 'advice' : failOn.some(({ kind }) => kind === gate))
  const found = sections
    .filter(({ gate }) => isShown(gate))
    .map(({ heading, hint, listLines }) => ({ heading, hint, lines: listLines(report) }))
    .filter(({ lines }) => lines.length > 0)
  const others = failOn.filter(({ kind }) => kind === 'coverage' || kind === 'no-requests')
  return [
    ...found.flatMap(({ heading, lines }) => [heading, ...lines.map((line) => `  ${line}`)]),
    ...judgeFailOn(report, others).map((sentence) => `--fail-on: ${sentence}.`),
    ...found.map(({ hint }) => hint),
  ]
}

const isUnmetExpectation = ({ members }: CountedFinding) =>
  String(members['message']).startsWith('The request was expected to ')

const listFindings = ({ list, further }: Report['findings']['violations']) => [
  ...list.map(describeFinding),
  ...(further === 0 ? [] : [`... and ${further} further findings.`]),
]

/** Describes a finding: `createEvent: A 429 asked to wait for 3 s, ...: after 0.5 s (req-5, then req-6)`. */
function describeFinding({ members, waitedMs, count, requests }: CountedFinding): string {
  const { operation, method = '', path = 'no operation', status, in: part, pointer, message, sentence } = members
  const subject = operation || `${method} ${path}`.trim()
  const [first, second] = requests
  if (sentence === undefined)
    return `${subject}: ${status ?? `${part}${pointer}`} ${message} ${nameRequests(count, first)}`
  const pause = waitedMs === undefined ? '' : `: after ${Math.round(waitedMs / 10) / 100} s`
  const text = pause === '' ? sentence : `${String(sentence).replace(/\.$/, '')}${pause}`
  const isPair = members['rule'] !== 'user-agent' && members['rule'] !== 'content-type'
  return `${subject}: ${text} ${isPair ? `(${first}, then ${second})` : nameRequests(count, first)}`
}

const nameRequests = (count: number, first = '') =>
  `(${count === 1 ? 'request' : `${count} requests, first:`} ${first})`
