import type { ControlSchemas } from './transport.ts'

const findingKinds = ['violation', 'unexpected', 'retry', 'unmet'] as const
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
  const report = await sandbox.report()
  // A report has no pauses of the client, so that it is the same in every run.
  if (report.retries.findings.length > 0) report.retries.findings = [...(await sandbox.retryProblems())]
  const found = listSections(report).filter(({ kind, lines }) => !allow.includes(kind) && lines.length > 0)
  if (found.length === 0) return undefined
  return [
    ...found.flatMap(({ heading, lines }) => [heading, ...lines]),
    ...found.map(({ advice, kind }) => `${advice} ${allowing(kind)}`),
  ].join('\n')
}

function listSections({ violations, unexpected, retries, unmet }: ControlSchemas['Report']) {
  // The findings of negative tests that were not refused are `unexpected` ones, and have a text of their own.
  const isUnmet = ({ message }: { readonly message: string }) => message.startsWith('The request was expected to ')
  return [
    {
      kind: 'violation',
      heading: 'Requests broke the contract:',
      advice: "Wrong on purpose? await sim.scenario('expect-violation') before the request declares it. Or:",
      lines: [...violations.findings.map(describeViolation), ...describeFurther(violations.further)],
    },
    {
      kind: 'unexpected',
      heading: 'Requests were refused, although no scenario asked for it:',
      advice: "Meant to be refused? await sim.scenario('expect-refusal') before the request declares it. Or:",
      lines: [
        ...unexpected.findings.filter((finding) => !isUnmet(finding)).map(describeResponse),
        ...describeFurther(unexpected.further),
      ],
    },
    {
      kind: 'unexpected',
      heading: 'Requests were declared as negative tests, and were none:',
      advice: 'Is the declaration wrong? Remove X-Sim-Expect, or the rule expect-refusal or expect-violation. Or:',
      lines: unexpected.findings.filter(isUnmet).map(describeResponse),
    },
    {
      kind: 'retry',
      heading: 'The client has retry problems:',
      advice: 'Does the client wait on fake timers? Advance both: sim.advanceTimers. Is it meant? Then:',
      lines: [...retries.findings.map(describeLapse), ...describeFurther(retries.further)],
    },
    {
      kind: 'unmet',
      heading: 'Rules never acted:',
      advice: 'Send the request that the rule is about, or remove the rule. Is it meant? Then:',
      lines: unmet.map(({ sentence }) => `  ${sentence}`),
    },
  ] as const
}

type Finding<Kind extends 'violations' | 'unexpected'> = ControlSchemas['Report'][Kind]['findings'][number]

function describeViolation(finding: Finding<'violations'>): string {
  const { operation, in: part, pointer, message } = finding
  return `  ${operation}: ${part}${pointer} ${message}${describeRequests(finding)}`
}

function describeResponse(finding: Finding<'unexpected'>): string {
  const { operation, method, path, status, message } = finding
  return `  ${operation || `${method} ${path}`}: ${status} ${message}${describeRequests(finding)}`
}

/** Describes a broken retry rule: `createEvent: A 429 asked to wait ...: after 0.3 s (req-5, then req-6)`. */
function describeLapse(finding: ControlSchemas['RetryProblem']): string {
  const { operation, rule, sentence, waitedMs, requests } = finding
  if (rule === 'user-agent' || rule === 'content-type') return `  ${operation}: ${sentence}${describeRequests(finding)}`
  const [failed, retry] = requests
  const paused = `${sentence.replace(/\.$/, '')}: after ${Math.round((waitedMs ?? 0) / 10) / 100} s`
  return `  ${operation}: ${waitedMs === undefined ? sentence : paused} (${failed}, then ${retry})`
}

function describeRequests(finding: { readonly count: number; readonly requests: readonly string[] }): string {
  const { count, requests } = finding
  return ` (${count === 1 ? 'request' : `${count} requests, first:`} ${requests[0]})`
}

const describeFurther = (further: number) => (further === 0 ? [] : [`  ... and ${further} further findings.`])
