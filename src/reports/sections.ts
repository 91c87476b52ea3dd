import { mannersRules } from './manners-rules.ts'
import { type Counted, placeOf, pluralize, type Report, seenIn, subjectOf } from './report.ts'

/** One thing to be told, in words. */
export interface SectionItem {
  /** What it is about: an operation with the rule that was broken. */
  readonly title: string
  readonly sentence: string
  /** The requests that show it. */
  readonly shownBy: string
}

/** A kind of finding, in the order in which every report has them. */
export interface Section {
  readonly key: 'violations' | 'unexpected' | 'manners'
  readonly title: string
  /** What it means. */
  readonly description: string
  /** What is said where nothing was found. */
  readonly none: string
  readonly told: readonly SectionItem[]
  /** What there was no room for; empty for nothing. */
  readonly further: string
}

/** The chapters of a report, in words: the same for every rendering. */
export function sectionsOf({ brokenRules, unexpectedAnswers, manners }: Report): readonly Section[] {
  return [
    {
      key: 'violations',
      title: 'Violations',
      description: 'Requests that broke the contract.',
      none: 'Every request fits the contract.',
      told: brokenRules.list.map((one) =>
        told(one, `${one.operation}: ${placeOf(one)}`, `${one.keyword}: ${one.message}`),
      ),
      further: furtherOf(brokenRules.further),
    },
    {
      key: 'unexpected',
      title: 'Unexpected answers',
      description: 'Refusals and failures that no scenario was asked for.',
      none: 'Every refusal and failure was asked for.',
      told: unexpectedAnswers.list.map((one) =>
        told(one, `${subjectOf(one)}: ${one.status}`, `${one.message} (origin: ${one.origin})`),
      ),
      further: furtherOf(unexpectedAnswers.further),
    },
    {
      key: 'manners',
      title: 'Manners',
      description: 'How the client behaves when something fails.',
      none: 'The client was polite.',
      told: manners.list.map((one) =>
        told(
          one,
          `${one.operation || 'no operation'}: ${one.rule}`,
          `${one.sentence} ${mannersRules[one.rule]}`,
        ),
      ),
      further: furtherOf(manners.further),
    },
  ]
}

function told(one: Counted<unknown>, title: string, sentence: string): SectionItem {
  return { title, sentence: sentence.trim(), shownBy: seenIn(one) }
}

function furtherOf(further: number): string {
  return further === 0 ? '' : `There was no room for ${pluralize(further, 'further one')}.`
}

/** What of an operation nobody has met and the simulator knows no way to. */
export function beyondWords(outOfReach: readonly string[]): string {
  return `Not counted, since the simulator knows no request that shows it: ${outOfReach.join(', ')}.`
}
