import type { Origin } from '../exchange/reply.ts'
import type { JournalEntry } from './entry.ts'

/** The conditions of `GET /__sim/requests`; an absent condition matches every entry. */
export interface JournalFilter {
  readonly operation?: string
  /** A status such as `429`, or a class of statuses such as `4xx`. */
  readonly status?: string
  /** The method in any case: `post`. */
  readonly method?: string
  readonly origin?: Origin
  /** The path as sent, with the sandbox's base path, without the query. */
  readonly path?: string
  /** True for requests that broke a rule of the contract, false for those that broke none. */
  readonly violations?: boolean
  /** True for requests that caused advice, false for those that caused none. */
  readonly advice?: boolean
}

/** Returns true where an entry meets every condition of the filter. */
export function matchesFilter(entry: JournalEntry, filter: JournalFilter): boolean {
  const { operation, status, method, origin, path } = filter
  return (
    isSame(operation, entry.operation) &&
    isSame(method?.toUpperCase(), entry.request.method) &&
    isSame(origin, entry.answer.origin) &&
    isSame(path, entry.request.path) &&
    (status === undefined || matchesStatus(entry.answer.status, status)) &&
    isSame(filter.violations, entry.violations.length > 0) &&
    isSame(filter.advice, entry.advice.length > 0)
  )
}

const isSame = <T>(expected: T | undefined, actual: T | undefined) =>
  expected === undefined || expected === actual

/** Returns true where a status is the given one, such as `429`, or belongs to the given class, such as `4xx`. */
export function matchesStatus(status: number, text: string): boolean {
  return text.length === 3 && text.toLowerCase().endsWith('xx')
    ? Math.floor(status / 100) === Number(text[0])
    : status === Number(text)
}
