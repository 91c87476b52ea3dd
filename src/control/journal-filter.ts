import { matchOutcome, type RequestMatch, type RequestQuery, requestConditions } from '../exchange/match.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { toMatchSubject } from '../journal/match.ts'

/** The conditions of `GET /__sim/requests`. The path is the one that was sent, with the sandbox's base path. */
export type JournalFilter = Pick<RequestQuery, 'operation'> &
  Pick<RequestMatch, 'status' | 'method' | 'origin' | 'path' | 'violations' | 'advice' | 'damage' | 'traceId'>

/** No condition of a filter asks for them. */
const noSubjects = { models: () => [], products: () => [] }

/** Returns a test that an entry meets every condition of the filter. */
export function createFilter({ operation, ...match }: JournalFilter): (entry: JournalEntry) => boolean {
  const conditions = requestConditions({ operation, match })
  return (entry) => {
    const subject = { ...toMatchSubject(entry, noSubjects), paths: [entry.request.path] }
    return matchOutcome(conditions, subject) === 'yes'
  }
}
