import type { Origin } from '../exchange/reply.ts'
import type { JournalEntry } from './entry.ts'

/** Which entries to show; what is absent does not narrow. */
export interface JournalFilter {
  readonly operation?: string
  /** `429`, or `4xx` for a hundred of them. */
  readonly status?: string
  readonly method?: string
  readonly origin?: Origin
  /** As sent, with the sandbox's base path, without the query. */
  readonly path?: string
  /** Whether the request broke a rule of the contract. */
  readonly violations?: boolean
  /** Whether there is anything that a careful client would not have sent. */
  readonly advice?: boolean
}

/** Whether an entry is one of those asked for. */
export function isShown(entry: JournalEntry, filter: JournalFilter): boolean {
  const { operation, status, method, origin, path } = filter
  return (
    isSame(operation, entry.operation) &&
    isSame(method?.toUpperCase(), entry.request.method) &&
    isSame(origin, entry.answer.origin) &&
    isSame(path, entry.request.path) &&
    (status === undefined || isStatus(entry.answer.status, status)) &&
    isSame(filter.violations, entry.violations.length > 0) &&
    isSame(filter.advice, entry.advice.length > 0)
  )
}

const isSame = <T>(wanted: T | undefined, value: T | undefined) => wanted === undefined || wanted === value

/** Whether a status is the one that a text such as `429` or `4xx` stands for. */
export function isStatus(status: number, text: string): boolean {
  return text.length === 3 && text.toLowerCase().endsWith('xx')
    ? Math.floor(status / 100) === Number(text[0])
    : status === Number(text)
}
