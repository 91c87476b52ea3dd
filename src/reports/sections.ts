import { mannersRules } from './manners-rules.ts'
import { type Counted, formatPlace, formatRequests, formatSubject, pluralize, type Report } from './report.ts'

/** A finding as texts. */
export interface SectionItem {
  /** The operation with the rule or status: `createEvent: body /value`. */
  readonly title: string
  readonly sentence: string
  /** The requests that show the finding: `req-1, req-2`. */
  readonly requests: string
}

/** A section of a report: the findings of one kind. */
export interface Section {
  readonly key: 'violations' | 'unexpected' | 'manners'
  readonly title: string
  readonly description: string
  /** The sentence of a section without findings. */
  readonly emptySentence: string
  readonly items: readonly SectionItem[]
  /** The sentence on findings that had no space; empty for none. */
  readonly further: string
}

/** Creates the sections of a report in their fixed order; every format shows the same. */
export function createSections({ brokenRules, unexpectedAnswers, manners }: Report): readonly Section[] {
  return [
    {
      key: 'violations',
      title: 'Violations',
      description: 'Requests that broke the contract.',
      emptySentence: 'Every request fits the contract.',
      items: brokenRules.list.map((finding) =>
        toItem(
          finding,
          `${finding.operation}: ${formatPlace(finding)}`,
          `${finding.keyword}: ${finding.message}`,
        ),
      ),
      further: furtherSentence(brokenRules.further),
    },
    {
      key: 'unexpected',
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
  ]
}

function toItem(finding: Counted<unknown>, title: string, sentence: string): SectionItem {
  return { title, sentence: sentence.trim(), requests: formatRequests(finding) }
}

function furtherSentence(further: number): string {
  return further === 0 ? '' : `There was no room for ${pluralize(further, 'further one')}.`
}

/** Returns the sentence on the items of an operation that no known request shows. */
export function outOfReachSentence(outOfReach: readonly string[]): string {
  return `Not counted, since the simulator knows no request that shows it: ${outOfReach.join(', ')}.`
}
