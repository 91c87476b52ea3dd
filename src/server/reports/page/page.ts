/**
 * A report as a document. Each report is converted to a `Page`, which the renderers in this folder write as text,
 * Markdown, HTML, JUnit XML or GitHub annotations. A page holds raw text, which the renderers escape. Unless otherwise
 * noted, an absent list counts as empty.
 */
export interface Page {
  /** The contract's title and version. For a checked file: its name and an empty version. */
  readonly subject: { readonly title: string; readonly version: string }
  /** The heading after the subject, such as `what the client did`. */
  readonly heading: string
  readonly verdict: { readonly text: string; readonly isGood: boolean }
  readonly summary?: readonly string[]
  /** The lines of the text format; default: sections, verdict and summary. */
  readonly text?: readonly string[]
  /** Facts about the run, such as `seed 1`. */
  readonly facts?: readonly string[]
  /** A sentence for each `--fail-on` condition that is met. The text format omits them, as the command prints them. */
  readonly failed?: readonly string[]
  /** Totals, shown in HTML as cards that link to their sections. `isGood` selects the color; default: no color. */
  readonly numbers?: readonly {
    readonly value: string
    readonly label: string
    readonly section: string
    readonly isGood?: boolean
  }[]
  readonly sections: readonly PageSection[]
  readonly cases?: readonly TestCase[]
  /** The report as JSON, whose structure differs from that of the page. */
  readonly json?: object
}

export interface PageSection {
  /** The anchor of the section, unique on its page. */
  readonly key: string
  readonly title: string
  readonly blocks: readonly PageBlock[]
  /** True for a long section: HTML collapses it, and text and Markdown omit it. */
  readonly isFolded?: boolean
}

export type PageBlock =
  /** Paragraphs. `isGood`: true if they report a success. */
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly isGood?: boolean }
  /** A table. `states`: a color for the last cell of each row; default: no color. */
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
      readonly states?: readonly ('good' | 'bad' | '')[]
    }
  /** A list of findings. `cut`: how many findings a terminal shows, and where the rest are; default: all findings. */
  | {
      readonly kind: 'findings'
      readonly findings: readonly PageFinding[]
      readonly cut?: { readonly after: number; readonly rest: string }
    }

export interface PageFinding {
  /** An `error` fails the run. */
  readonly severity: 'error' | 'warning' | 'info'
  /** The location as text, such as `createEvent: body /value`. */
  readonly title: string
  /** The location in a file, with line and column numbers from 1; default: none. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number } | undefined
  readonly sentence: string
  readonly notes?: readonly string[]
  readonly details?: readonly Detail[]
}

/** Preformatted lines: a command, or output. */
export interface Detail {
  /** The label that expands the lines; empty for lines that are always shown. */
  readonly title: string
  readonly lines: readonly string[]
  /** The index of the first line that a terminal shows; by default, a terminal shows the last lines. */
  readonly focus?: number | undefined
  /** True if a terminal omits the lines. */
  readonly isAside?: boolean
}

export interface TestCase {
  /** The name of the suite without `convsim.`. */
  readonly suite: string
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** The output of a passed case, the details of a failure, or the reason for skipping the case. */
  readonly text: string
  /** The type of a failure; default: the name of the suite. */
  readonly type?: string
  /** The message of a failed or skipped case; default: the text. */
  readonly message?: string
  /** The duration in milliseconds; default: 0. */
  readonly ms?: number
}

export function listLines({ sentence, notes = [], details = [] }: Omit<PageFinding, 'severity' | 'title'>): string[] {
  const unfolded = details.flatMap(({ title, lines }) => (title === '' ? lines : [`${title}:`, ...lines]))
  return [sentence, ...notes, ...unfolded]
}

const entities = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }))

export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? '')
}
