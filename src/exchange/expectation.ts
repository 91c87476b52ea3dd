/**
 * The outcomes that a negative test can declare for its request: `violation`, the request breaks the contract;
 * `refusal`, the answer has a status of 400 or more.
 */
export const expectations = ['violation', 'refusal'] as const

/** The declared outcome of a request. */
export type Expectation = (typeof expectations)[number]

/** The header that declares the outcome of a request: `X-Sim-Expect: violation`. */
export const expectationHeader = 'x-sim-expect'

/** Returns the outcome that a header value declares; undefined for another value. */
export function readExpectation(value: string | undefined): Expectation | undefined {
  return value === undefined ? undefined : expectations.find((known) => known === value)
}
