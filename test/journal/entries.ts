import type { JournalEntry } from '../../src/journal/entry.ts'
import { Journal, type LiveExchange } from '../../src/journal/journal.ts'

/** What nobody has read. */
export const unread: LiveExchange = {
  request: undefined,
  answer: undefined,
  operation: undefined,
  sent: { path: {}, query: {}, header: {} },
  token: undefined,
}

export interface About {
  readonly sandbox?: string
  readonly request?: Partial<JournalEntry['request']>
  readonly answer?: Partial<JournalEntry['answer']>
  readonly requestBody?: string
  readonly answerBody?: string
}

const bodyOf = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  return { bytes, size: bytes.length }
}

/** The next entry of a journal, with what a test is about. */
export function entryFor(journal: Journal, about: About = {}): JournalEntry {
  const number = journal.recorded + 1
  return {
    id: `req-${number}`,
    number,
    at: 0,
    now: 0,
    durationMs: 1,
    delayMs: 0,
    sandbox: about.sandbox ?? 'default',
    operation: 'createEvent',
    request: {
      method: 'POST',
      path: '/v1/events',
      query: '',
      headers: {},
      body: bodyOf(about.requestBody ?? ''),
      ...about.request,
    },
    aborted: false,
    answer: {
      status: 201,
      headers: {},
      body: bodyOf(about.answerBody ?? ''),
      origin: 'contract',
      ...about.answer,
    },
    scenarios: [],
    damage: [],
    violations: [],
    answerViolations: [],
    advice: [],
  }
}

/** A journal of that size with so many entries, the sandboxes in turn. */
export function journalOf(size: number, count: number, sandboxes: readonly string[] = ['default']): Journal {
  const journal = new Journal(size)
  for (let index = 0; index < count; index += 1) {
    const sandbox = sandboxes[index % sandboxes.length] ?? 'default'
    journal.record(entryFor(journal, { sandbox }), unread)
  }
  return journal
}
