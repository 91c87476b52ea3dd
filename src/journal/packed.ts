import type { Captured, Entry } from './entry.ts'

type Headers = Entry['request']['headers']

/** What there is to say of an exchange; mostly nothing. */
type Findings = Pick<Entry, 'scenarios' | 'damage' | 'violations' | 'answerViolations' | 'advice'>

/**
 * An entry as one text, all of it but the bytes of its bodies, its id first. Most texts and numbers are on a line each, and headers end with
 * an empty line: HTTP has no line feed in any of them, and as JSON it would take twice the time. What comes from documents is JSON.
 */
export function packed(entry: Entry): string {
  const { request, answer } = entry
  const lines = [
    entry.id,
    entry.number,
    entry.at,
    entry.now,
    entry.durationMs,
    entry.delayMs,
    entry.sandbox,
    entry.operation === undefined ? '' : JSON.stringify(entry.operation),
    entry.brokenOff ? 'broken off' : '',
    findingsText(entry),
    request.method,
    request.path,
    request.query,
    request.body.size,
  ]
  addHeaders(lines, request.headers)
  lines.push(answer.status, answer.origin, answer.body.size)
  addHeaders(lines, answer.headers)
  return lines.join('\n')
}

function addHeaders(lines: (string | number)[], headers: Headers): void {
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
export function unpacked(text: string, requestBody: Held, answerBody: Held): Entry {
  const lines = new Lines(text)
  // In the order in which they were packed.
  return {
    id: lines.text(),
    number: lines.number(),
    at: lines.number(),
    now: lines.number(),
    durationMs: lines.number(),
    delayMs: lines.number(),
    sandbox: lines.text(),
    operation: lines.json<string | undefined>(undefined),
    brokenOff: lines.text() !== '',
    ...lines.json(noFindings),
    request: {
      method: lines.text(),
      path: lines.text(),
      query: lines.text(),
      body: captured(requestBody, lines.number()),
      headers: lines.headers(),
    },
    answer: {
      status: lines.number(),
      origin: lines.text() as Entry['answer']['origin'], // what was packed above
      body: captured(answerBody, lines.number()),
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

  number(): number {
    return Number(this.text())
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
