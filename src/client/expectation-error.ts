/** An expectation about the requests of a sandbox that was not met. */
export class ExpectationError extends Error {
  override name = 'ExpectationError'
}
