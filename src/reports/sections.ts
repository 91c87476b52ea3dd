import type { BrokenRule } from './contract-findings.ts'
import type { FailCondition } from './fail-condition.ts'
import { mannersRules } from './manners-rules.ts'
import {
  type Counted,
  type FindingsReport,
  formatPlace,
  formatRequests,
  formatSubject,
  pluralize,
} from './report.ts'
import type { RequestTrace } from './request-trace.ts'

/** A finding as texts. */
export interface SectionItem {
  /** The operation with the rule or status: `createEvent: body /value`. */
  readonly title: string
  readonly sentence: string
  /** The requests that show the finding: `req-1, req-2`. */
  readonly requests: string
  /** The first request: `2026-01-15T12:00:00.000Z POST /v1/events, sandbox default, sent: 7`. */
  readonly trace: string
  /** A shell command that sends the first request again; empty where it is too large. */
  readonly curl: string
}

/** A section of a report: the findings of one kind. */
export interface Section {
  readonly key: 'violations' | 'unexpected' | 'manners' | 'advice'
  /** The condition of `--fail-on` that makes the findings fail. */
  readonly gate: FailCondition['kind']
  readonly title: string
  readonly description: string
  /** The sentence of a section without findings. */
  readonly emptySentence: string
  readonly items: readonly SectionItem[]
  /** The sentence on findings that had no space; empty for none. */
  readonly further: string
}

/** Creates the sections of a report in their fixed order; every format shows the same. */
export function createSections({
  brokenRules,
  unexpectedAnswers,
  manners,
  advice,
}: FindingsReport): readonly Section[] {
  return [
    {
      key: 'violations',
      gate: 'violation',
      title: 'Violations',
      description: 'Requests that broke the contract.',
      emptySentence: 'Every request fits the contract.',
      items: brokenRules.list.map(toRuleItem),
      further: furtherSentence(brokenRules.further),
    },
    {
      key: 'unexpected',
      gate: 'unexpected',
      title: 'Unexpected answers',
      description: 'Refusals and failures that no scenario was asked for.',
      emptySentence: 'Every refusal and failure was asked for.',
      items: unexpectedAnswers.list.map((finding) =>
        toItem(
          finding,
          `${formatSubject(finding)}: ${finding.status}`,
          `${finding.message} (origin: ${finding.origin})`,
        ),
      ),
      further: furtherSentence(unexpectedAnswers.further),
    },
    {
      key: 'manners',
      gate: 'manners',
      title: 'Manners',
      description: 'How the client behaves when something fails.',
      emptySentence: 'The client kept all rules of manners.',
      items: manners.list.map((finding) =>
        toItem(
          finding,
          `${finding.operation || 'no operation'}: ${finding.rule}`,
          `${finding.sentence} ${mannersRules[finding.rule]}`,
        ),
      ),
      further: furtherSentence(manners.further),
    },
    {
      key: 'advice',
      gate: 'advice',
      title: 'Advice',
      description: 'What the service accepts, and a careful client does not send.',
      emptySentence: 'There is no advice.',
      items: advice.list.map(toRuleItem),
      further: furtherSentence(advice.further),
    },
  ]
}

function toRuleItem(finding: Counted<BrokenRule>): SectionItem {
  const title = `${finding.operation}: ${formatPlace(finding)}`
  return toItem(finding, title, `${finding.keyword}: ${finding.message}`)
}

function toItem(
  finding: Counted<{ readonly first: RequestTrace }>,
  title: string,
  sentence: string,
): SectionItem {
  const { first } = finding
  const requests = formatRequests(finding)
  return { title, sentence: sentence.trim(), requests, trace: formatTrace(first), curl: first.curl ?? '' }
}

function formatTrace({ at, method, path, sandbox, excerpt }: RequestTrace): string {
  const sent = excerpt === undefined ? '' : `, sent: ${excerpt}`
  return `${at} ${method} ${path}, sandbox ${sandbox}${sent}`
}

function furtherSentence(further: number): string {
  return further === 0 ? '' : `There was no room for ${pluralize(further, 'further one')}.`
}

/** Returns the first findings of a report as lines: `violations: createEvent: body /value: type: must be a string`. */
export function listFirstFindings(report: FindingsReport, limit: number): string[] {
  const lines = createSections(report).flatMap(({ key, items }) =>
    items.map(({ title, sentence, trace }) => `${key}: ${title}: ${sentence} (${trace})`),
  )
  const further = lines.length - limit
  return further > 0 ? [...lines.slice(0, limit), `${pluralize(further, 'further finding')}`] : lines
}

/** Returns the sentence on the items of an operation that no known request shows. */
export function outOfReachSentence(outOfReach: readonly string[]): string {
  return `Not counted, since the simulator knows no request that shows it: ${outOfReach.join(', ')}.`
}
