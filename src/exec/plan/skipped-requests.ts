import type { RecordedRequest } from './recorded-request.ts'

/** The requests of an operation that are not struck, since others differ from them in values alone. */
export interface LeftOut {
  /** The id of the operation. */
  readonly operation: string
  /** The numbers of the requests that are not struck, ascending. */
  readonly occurrences: readonly number[]
  /** The numbers of the first and the last such request, which are struck. */
  readonly like: readonly number[]
}

/** The requests of an operation by whether faults strike them. */
export interface RequestChoice {
  readonly struck: readonly RecordedRequest[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * Chooses the requests that faults strike: of those that differ in values alone the first and the last. Nothing else is known of the code
 * that sent them, and a second client in the same suite begins or ends somewhere. `requests`: of one operation, sorted by number.
 */
export function chooseRequests(operation: string, requests: readonly RecordedRequest[]): RequestChoice {
  const classes = new Map<string, RecordedRequest[]>()
  for (const request of requests) {
    const own = classes.get(request.signature)
    if (own) own.push(request)
    else classes.set(request.signature, [request])
  }
  const isInside = (request: RecordedRequest) => {
    const own = classes.get(request.signature) ?? []
    return own[0] !== request && own.at(-1) !== request
  }
  const leftOut = [...classes.values()]
    .filter((own) => own.length > 2)
    .map((own) => {
      const numbers = own.map(({ occurrence }) => occurrence)
      return {
        operation,
        occurrences: numbers.slice(1, -1),
        like: numbers.filter((_, at) => at % (own.length - 1) === 0),
      }
    })
  return { struck: requests.filter((request) => !isInside(request)), leftOut }
}

/** Says which requests were left out, and how to strike one of them. Empty: none was. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string[] {
  const [first] = leftOut
  if (!first) return []
  const parts = leftOut.map(
    ({ operation, occurrences, like }) =>
      `${operation}: ${formatNumbers(occurrences)} ${occurrences.length === 1 ? 'is' : 'are'} like ${formatNumbers(like)}`,
  )
  return [
    `Not struck, so not in the shares: ${parts.join('; ')}. They differ in values alone, but another part of the suite may send them: --only FAULT@${first.operation}#${first.occurrences[0]} strikes one.`,
  ]
}

/** The largest number of parts that a list of numbers has. */
const maxParts = 10

/** Writes ascending numbers of requests: `request 2`, `requests 2 to 6, 9`. */
function formatNumbers(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  const parts = ranges.map(({ from, to }) => {
    if (from === to) return `${from}`
    return to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`
  })
  const more = parts.length > maxParts ? ' and more' : ''
  return `${numbers.length === 1 ? 'request' : 'requests'} ${parts.slice(0, maxParts).join(', ')}${more}`
}
