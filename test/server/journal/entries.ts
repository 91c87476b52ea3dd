import { utf8ToLatin1 } from '../../../src/base/core/text.ts'
import type { JournalEntry, LiveExchange } from '../../../src/server/journal/entry.ts'
import { captureBody } from '../../../src/server/journal/entry-json.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { delivered } from '../../../src/service/exchange/reply.ts'

/** A live exchange without any parsed parts. */
export const unparsed: LiveExchange = {
  requestBody: undefined,
  responseBody: undefined,
  operation: undefined,
  rawParameters: { path: {}, query: {}, header: {} },
  parameters: undefined,
  token: undefined,
}

/** The parts of an entry that a test can set. Every part has a default. */
export interface EntryParts {
  readonly sandbox?: string
  readonly request?: Partial<JournalEntry['request']>
  readonly response?: Partial<JournalEntry['response']>
  /** The text of the request body; `request.body` overrides it. Default: empty. */
  readonly requestBody?: string
  /** The text of the response body; `response.body` overrides it. Default: empty. */
  readonly responseBody?: string
}

const bodyOf = (text: string) => captureBody(utf8ToLatin1(text))

const createdResponse = { status: 201, headers: {}, origin: 'contract' } as const

/** Creates the next entry for a journal, but does not record it. */
export function entryFor(journal: Journal, parts: EntryParts = {}): JournalEntry {
  const number = journal.latestNumber + 1
  return {
    id: `req-${number}`,
    number,
    at: 0,
    now: 0,
    durationMs: 1,
    delayMs: 0,
    receivedAt: 0,
    openedAt: undefined,
    headSentAt: undefined,
    hasClientLeft: false,
    endedAt: 0,
    sandbox: parts.sandbox ?? 'default',
    operation: 'createEvent',
    request: {
      method: 'POST',
      path: '/v1/events',
      query: '',
      headers: {},
      body: bodyOf(parts.requestBody ?? ''),
      ...parts.request,
    },
    ownToken: undefined,
    authorization: undefined,
    aborted: false,
    response: { ...createdResponse, body: bodyOf(parts.responseBody ?? ''), ...parts.response },
    delivery: delivered,
    stage: 'handle',
    rule: undefined,
    decisions: undefined,
    scenarios: [],
    steering: '',
    expectation: undefined,
    replayOf: undefined,
    damage: [],
    violations: [],
    responseViolations: [],
    advice: [],
  }
}

/** Creates a journal and records `count` entries in it, distributed evenly among the sandboxes. */
export function journalOf(size: number, count: number, sandboxes: readonly string[] = ['default']): Journal {
  const journal = new Journal(size)
  for (let index = 0; index < count; index += 1) {
    const sandbox = sandboxes[index % sandboxes.length] ?? 'default'
    journal.record(entryFor(journal, { sandbox }), unparsed)
  }
  return journal
}
