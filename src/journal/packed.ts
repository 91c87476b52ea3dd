import type { JournalEntry, RecordedBody } from './entry.ts'

type Headers = JournalEntry['request']['headers']

/** The lists of an entry, which are empty for most exchanges. */
type Findings = Pick<JournalEntry, 'scenarios' | 'damage' | 'violations' | 'answerViolations' | 'advice'>

/**
 * Encodes the texts of an entry as one text that begins with its id: a line for each value, an empty line after the headers. HTTP
 * allows no line feed in these values, and JSON would take twice the time. Values from documents are encoded as JSON.
 */
export function encodeTexts(entry: JournalEntry): string {
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

/** The length of an entry's numbers in the array of `encodeNumbers`. */
export const numbersPerEntry = 7

/** Writes the numbers of an entry into `target` from `start` on. As text they would take two fifths of the time of encoding. */
export function encodeNumbers(entry: JournalEntry, target: Float64Array, start: number): void {
  target[start] = entry.at
  target[start + 1] = entry.now
  target[start + 2] = entry.durationMs
  target[start + 3] = entry.delayMs
  target[start + 4] = entry.request.body.size
  target[start + 5] = entry.answer.status
  target[start + 6] = entry.answer.body.size
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

/** Returns true where a text is the encoding of the entry with this request id. */
export function isTextOfEntry(id: string, text: string): boolean {
  return text.startsWith(`${id}\n`)
}

/** Reads the bytes of a body; undefined where they were evicted. */
type ReadBody = () => RecordedBody['bytes']

/** An encoded entry, with functions that read its bodies. */
interface EncodedEntry {
  readonly number: number
  /** The result of `encodeTexts`. */
  readonly texts: string
  /** The numbers in the order of `encodeNumbers`. */
  readonly numbers: Float64Array
  readonly requestBody: ReadBody
  readonly answerBody: ReadBody
}

/** Decodes an entry. Its bodies are read on first use; `bytes` of a body that was evicted until then is undefined. */
export function decodeEntry({ number, texts, numbers, requestBody, answerBody }: EncodedEntry): JournalEntry {
  const [at = 0, now = 0, durationMs = 0, delayMs = 0, requestSize = 0, status = 0, answerSize = 0] = numbers
  const lines = new Lines(texts)
  // The order of the lines in `encodeTexts`.
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
      body: lazyBody(requestBody, requestSize),
      headers: lines.headers(),
    },
    answer: {
      status,
      origin: lines.text() as JournalEntry['answer']['origin'], // encoded by `encodeTexts`
      body: lazyBody(answerBody, answerSize),
      headers: lines.headers(),
    },
  }
}

/** Reads the lines of a text, one after the other. */
class Lines {
  readonly #lines: readonly string[]
  #index = 0

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  text(): string {
    const line = this.#lines[this.#index] ?? ''
    this.#index += 1
    return line
  }

  /** Parses the next line as JSON; returns `fallback` for an empty line. */
  json<Value>(fallback: Value): Value {
    const line = this.text()
    return line === '' ? fallback : JSON.parse(line)
  }

  headers(): Headers {
    const headers: Record<string, string> = {}
    for (let name = this.text(); name !== ''; name = this.text()) headers[name] = this.text()
    return headers
  }
}

function lazyBody(read: ReadBody, size: number): RecordedBody {
  return {
    size,
    get bytes() {
      const bytes = read()
      return size > 0 && bytes?.length === 0 ? undefined : bytes // a body that could not be read has a size and no bytes
    },
  }
}
