import type { JournalEntry, RecordedBody } from './entry.ts'

type Headers = JournalEntry['request']['headers']

/** What there is to say of an exchange; mostly nothing. */
type Findings = Pick<JournalEntry, 'scenarios' | 'damage' | 'violations' | 'answerViolations' | 'advice'>

/**
 * The texts of an entry as one, its id first. Most are on a line each, and headers end with an empty line: HTTP has no line feed in
 * any of them, and as JSON it would take twice the time. What comes from documents is JSON.
 */
export function packedTexts(entry: JournalEntry): string {
  const { request, answer } = entry
  const lines = [
    entry.id,
    entry.sandbox,
    entry.operation === undefined ? '' : JSON.stringify(entry.operation),
    entry.aborted ? 'broken off' : '',
    findingsText(entry),
    request.method,
    request.path,
    request.query,
  ]
  addHeaders(lines, request.headers)
  lines.push(answer.origin)
  addHeaders(lines, answer.headers)
  return lines.join('\n')
}

/** How many figures an entry has besides its number. */
export const figuresOfEntry = 7

/** Writes the figures of an entry from a place on: as text they would take two fifths of what it takes to pack one. */
export function packFigures(entry: JournalEntry, into: Float64Array, place: number): void {
  into[place] = entry.at
  into[place + 1] = entry.now
  into[place + 2] = entry.durationMs
  into[place + 3] = entry.delayMs
  into[place + 4] = entry.request.body.size
  into[place + 5] = entry.answer.status
  into[place + 6] = entry.answer.body.size
}

function addHeaders(lines: string[], headers: Headers): void {
  for (const name in headers) lines.push(name, headers[name] ?? '')
  lines.push('')
}

function findingsText({ scenarios, damage, violations, answerViolations, advice }: JournalEntry): string {
  const lists = [scenarios, damage, violations, answerViolations, advice]
  if (lists.every((list) => list.length === 0)) return ''
  return JSON.stringify({ scenarios, damage, violations, answerViolations, advice })
}

const noFindings: Findings = { scenarios: [], damage: [], violations: [], answerViolations: [], advice: [] }

/** Whether the text is that of the entry of this request id. */
export function isPackedOf(id: string, text: string): boolean {
  return text.startsWith(`${id}\n`)
}

/** What is still held of a body, when somebody asks. */
type Held = () => RecordedBody['bytes']

/** What was packed of an entry, and what is still held of its bodies. */
interface Packed {
  readonly number: number
  readonly texts: string
  /** In the order in which `packFigures` has them. */
  readonly figures: Float64Array
  readonly requestBody: Held
  readonly answerBody: Held
}

/** The entry again. Its bodies are read when somebody looks at them; of one that was let go meanwhile only the size is left. */
export function unpacked({ number, texts, figures, requestBody, answerBody }: Packed): JournalEntry {
  const [at = 0, now = 0, durationMs = 0, delayMs = 0, requestSize = 0, status = 0, answerSize = 0] = figures
  const lines = new Lines(texts)
  // In the order in which they were packed.
  return {
    id: lines.text(),
    number,
    at,
    now,
    durationMs,
    delayMs,
    sandbox: lines.text(),
    operation: lines.json<string | undefined>(undefined),
    aborted: lines.text() !== '',
    ...lines.json(noFindings),
    request: {
      method: lines.text(),
      path: lines.text(),
      query: lines.text(),
      body: captured(requestBody, requestSize),
      headers: lines.headers(),
    },
    answer: {
      status,
      origin: lines.text() as JournalEntry['answer']['origin'], // what was packed above
      body: captured(answerBody, answerSize),
      headers: lines.headers(),
    },
  }
}

/** What is on the lines of a text, one after the other. */
class Lines {
  readonly #lines: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  text(): string {
    const line = this.#lines[this.#at] ?? ''
    this.#at += 1
    return line
  }

  /** What was written as JSON; the other value where there is nothing. */
  json<Value>(none: Value): Value {
    const line = this.text()
    return line === '' ? none : JSON.parse(line)
  }

  headers(): Headers {
    const headers: Record<string, string> = {}
    for (let name = this.text(); name !== ''; name = this.text()) headers[name] = this.text()
    return headers
  }
}

function captured(held: Held, size: number): RecordedBody {
  return {
    size,
    get bytes() {
      const bytes = held()
      return size > 0 && bytes?.length === 0 ? undefined : bytes // of one that could not be read, only the size is known
    },
  }
}
