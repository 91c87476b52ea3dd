import type { Captured, Entry } from './entry.ts'

/**
 * An entry as one text: its id on a line by itself, so that it can be found, and all of it but the bytes of its bodies as JSON. A list
 * and not an object, since that takes two thirds of the time and of the room.
 */
export function packed(entry: Entry): string {
  const { request, answer } = entry
  const { method, path, query } = request
  const parts: Parts = [
    [
      entry.number,
      entry.at,
      entry.now,
      entry.durationMs,
      entry.delayMs,
      entry.sandbox,
      entry.operation ?? null,
    ],
    [method, path, query, request.headers, request.body.size, entry.brokenOff],
    [answer.status, answer.headers, answer.body.size, answer.origin],
    [entry.scenarios, entry.damage, entry.violations, entry.answerViolations, entry.advice],
  ]
  return `${entry.id}\n${JSON.stringify(parts)}`
}

type Parts = readonly [
  readonly [
    number: number,
    at: number,
    now: number,
    durationMs: number,
    delayMs: number,
    sandbox: string,
    operation: string | null,
  ],
  readonly [
    method: string,
    path: string,
    query: string,
    headers: Entry['request']['headers'],
    size: number,
    brokenOff: boolean,
  ],
  readonly [
    status: number,
    headers: Entry['answer']['headers'],
    size: number,
    origin: Entry['answer']['origin'],
  ],
  readonly [
    scenarios: Entry['scenarios'],
    damage: Entry['damage'],
    violations: Entry['violations'],
    answerViolations: Entry['answerViolations'],
    advice: Entry['advice'],
  ],
]

/** Whether the text is that of the entry of this request id. */
export function isPackedOf(id: string, text: string): boolean {
  return text.startsWith(`${id}\n`)
}

/** What is still held of a body, when somebody asks. */
type Held = () => Captured['bytes']

/** The entry again. Its bodies are read when somebody looks at them; of one that was let go meanwhile only the size is left. */
export function unpacked(text: string, requestBody: Held, answerBody: Held): Entry {
  const end = text.indexOf('\n')
  const [head, request, answer, findings]: Parts = JSON.parse(text.slice(end)) // what was made of an entry above
  const [number, at, now, durationMs, delayMs, sandbox, operation] = head
  const [method, path, query, requestHeaders, requestSize, brokenOff] = request
  const [status, answerHeaders, answerSize, origin] = answer
  const [scenarios, damage, violations, answerViolations, advice] = findings
  return {
    id: text.slice(0, end),
    number,
    at,
    now,
    durationMs,
    delayMs,
    sandbox,
    operation: operation ?? undefined,
    request: { method, path, query, headers: requestHeaders, body: captured(requestBody, requestSize) },
    brokenOff,
    answer: { status, headers: answerHeaders, body: captured(answerBody, answerSize), origin },
    scenarios,
    damage,
    violations,
    answerViolations,
    advice,
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
