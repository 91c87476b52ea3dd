/** The outcomes that a negative test can declare: a request that breaks the contract, a status of 400 or more. */
export const expectations = ['violation', 'refusal'] as const

export type Expectation = (typeof expectations)[number]

type Headers = Readonly<Record<string, string>>

export const expectationHeader = 'x-sim-expect'

/** Returns the outcome that a request declares; undefined without the header, or for another value. */
export const readExpectation = ({ [expectationHeader]: value }: Headers) =>
  value === undefined ? undefined : expectations.find((known) => known === value)

/**
 * The header that marks a request as a repetition of a recorded one: `X-Sim-Replay-Of: req-7`. The console sets it, as
 * other tools can; the tested client did not send such a request.
 */
export const replayHeader = 'x-sim-replay-of'

/** Returns the id of the repeated request, `req-7` or, of a replica, `req-3f2a91c0-7`; undefined for other values. */
export function readReplayOf({ [replayHeader]: value }: Headers): string | undefined {
  return value !== undefined && /^req-(?:[\da-f]{8}-)?[1-9]\d{0,15}$/.test(value) ? value : undefined
}

/** A `traceparent` header (W3C Trace Context): version, trace id, parent id, flags. Version 00 ends there. */
const traceParent = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/

/** Returns the trace id of a `traceparent` header; undefined for one that W3C Trace Context ignores, and for none. */
export const readTraceId = (header: string | undefined) => traceParent.exec(header ?? '')?.[1]

/**
 * Returns true if a list such as `Accept` or `Accept-Encoding` names a value with a weight above 0: `text/html`, as
 * browsers do. Ranges such as that of all media types, which curl and `fetch` send, do not count.
 */
export function accepts(list: string | undefined, name: string): boolean {
  const items = list?.toLowerCase().split(',') ?? []
  return items.some((item) => {
    const [value, ...parameters] = item.split(';').map((part) => part.trim())
    return value === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
