import type { Captured, Entry } from './entry.ts'

type Headers = Entry['request']['headers']

/** What there is to say of an exchange; mostly nothing. */
type Findings = Pick<Entry, 'scenarios' | 'damage' | 'violations' | 'answerViolations' | 'advice'>

/**
 * An entry as one text, all of it but the bytes of its bodies, its id first: a line for each text and number. As JSON it would take
 * twice the time. HTTP has no line feed in what is on a line here, and neither have our names.
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
    entry.operation ?? '',
    request.method,
    request.path,
    request.query,
    request.body.size,
    entry.brokenOff ? 'broken off' : '',
    answer.status,
    answer.body.size,
    answer.origin,
    findingsText(entry),
  ]
  addHeaders(lines, request.headers)
  lines.push('') // no header's name
  addHeaders(lines, answer.headers)
  return lines.join('\n')
}

function addHeaders(lines: (string | number)[], headers: Headers): void {
  for (const name in headers) lines.push(name, headers[name] ?? '')
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
  const lines = text.split('\n')
  const [id = '', number, at, now, durationMs, delayMs, sandbox = '', operation = ''] = lines
  const [method = '', path = '', query = '', requestSize, brokenOff, status, answerSize, origin] =
    lines.slice(8)
  const findings = lines[16] ?? ''
  const requestHeaders = headersFrom(lines, 17)
  return {
    id,
    number: Number(number),
    at: Number(at),
    now: Number(now),
    durationMs: Number(durationMs),
    delayMs: Number(delayMs),
    sandbox,
    operation: operation === '' ? undefined : operation,
    request: {
      method,
      path,
      query,
      headers: requestHeaders.headers,
      body: captured(requestBody, Number(requestSize)),
    },
    brokenOff: brokenOff !== '',
    answer: {
      status: Number(status),
      headers: headersFrom(lines, requestHeaders.end).headers,
      body: captured(answerBody, Number(answerSize)),
      origin: origin as Entry['answer']['origin'], // as it was packed above
    },
    ...(findings === '' ? noFindings : (JSON.parse(findings) as Findings)),
  }
}

/** Headers that begin in this line, and where the next ones would. */
function headersFrom(lines: readonly string[], start: number): { headers: Headers; end: number } {
  const headers: Record<string, string> = {}
  let at = start
  for (; lines[at]; at += 2) headers[lines[at] ?? ''] = lines[at + 1] ?? ''
  return { headers, end: at + 1 }
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
