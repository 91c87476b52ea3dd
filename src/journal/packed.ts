import { Remembered } from '../remembered.ts'
import type { Captured, Entry } from './entry.ts'

type Headers = Entry['request']['headers']

/** What there is to say of an exchange; mostly nothing. */
type Findings = Pick<Entry, 'scenarios' | 'damage' | 'violations' | 'answerViolations' | 'advice'>

/**
 * The texts of an entry as one, its id first. Most are on a line each, and headers end with an empty line: HTTP has no line feed in
 * any of them, and as JSON it would take twice the time. What comes from documents is JSON.
 */
export function packedTexts(entry: Entry): string {
  const { request, answer } = entry
  const lines = [
    entry.id,
    entry.sandbox,
    entry.operation === undefined ? '' : jsonOf(entry.operation),
    entry.brokenOff ? 'broken off' : '',
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

/** How many numbers an entry has. */
export const numbersOfEntry = 8

/** Writes the numbers of an entry from a place on: as text they would take as long as all the rest of it. */
export function packNumbers(entry: Entry, into: Float64Array, at: number): void {
  into[at] = entry.number
  into[at + 1] = entry.at
  into[at + 2] = entry.now
  into[at + 3] = entry.durationMs
  into[at + 4] = entry.delayMs
  into[at + 5] = entry.request.body.size
  into[at + 6] = entry.answer.status
  into[at + 7] = entry.answer.body.size
}

/** Of a name. There are as many as the contract has operations. */
const jsons = new Remembered<string>(100)
const jsonOf = (name: string) => jsons.get(name, () => JSON.stringify(name))

function addHeaders(lines: string[], headers: Headers): void {
  for (const name in headers) lines.push(name, headers[name] ?? '')
  lines.push('')
}

function findingsText({ scenarios, damage, violations, answerViolations, advice }: Entry): string {
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
type Held = () => Captured['bytes']

/** The entry again. Its bodies are read when somebody looks at them; of one that was let go meanwhile only the size is left. */
export function unpacked(texts: string, numbers: Float64Array, requestBody: Held, answerBody: Held): Entry {
  const lines = new Lines(texts)
  const [
    number = 0,
    at = 0,
    now = 0,
    durationMs = 0,
    delayMs = 0,
    requestSize = 0,
    status = 0,
    answerSize = 0,
  ] = numbers
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
    brokenOff: lines.text() !== '',
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
      origin: lines.text() as Entry['answer']['origin'], // what was packed above
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

function captured(held: Held, size: number): Captured {
  return {
    size,
    get bytes() {
      const bytes = held()
      return size > 0 && bytes?.length === 0 ? undefined : bytes // of one that could not be read, only the size is known
    },
  }
}
