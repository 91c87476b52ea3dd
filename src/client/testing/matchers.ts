import type { FindingKind } from '../describe.ts'
import { ExpectationError } from '../expectation-error.ts'
import type { ReceivedExpectation } from '../requests-and-reports.ts'
import type { SandboxClient } from '../sandbox.ts'
import type { Names } from '../typed-names.ts'

interface SandboxMatchers<N extends Names> {
  /** Expects requests, at least one by default: `await expect(sim).toHaveReceived('createEvent', { times: 1 })`. */
  toHaveReceived(operation: N['operation'], expectation?: ReceivedExpectation<N>): Promise<void>
  /** Expects no violations of the contract. */
  toHaveNoViolations(): Promise<void>
  /** Expects no violations, unexpected responses, retry problems or unmet rules. `allow`: the kinds to ignore. */
  toHaveNoFindings(allow?: readonly FindingKind[]): Promise<void>
}

/** A supertype of `SandboxClient<N>` for every `N`. */
type AnySandbox = Pick<SandboxClient, 'name' | 'consoleUrl' | 'coverage'>

type NamesOf<Sandbox> = Sandbox extends SandboxClient<infer N> ? N : never

/** The signature of `expect` for a sandbox. A value of type `any` gets the test runner's own matchers. */
export type ExpectSandbox = <Sandbox extends AnySandbox>(
  sim: 0 extends 1 & Sandbox ? never : Sandbox,
  message?: string,
) => SandboxMatchers<NamesOf<Sandbox>> & { readonly not: SandboxMatchers<NamesOf<Sandbox>> }

/** The implementations of the matchers, for `expect.extend` in vitest, Jest and Playwright. */
export const sandboxMatchers = {
  toHaveReceived: (sim: SandboxClient, ...expected: Parameters<SandboxClient['expectReceived']>) =>
    toMatcherResult(
      sim.expectReceived(...expected),
      `The ${expected[0]} requests in the sandbox "${sim.name}" meet the expectation.`,
    ),
  toHaveNoViolations: (sim: SandboxClient) =>
    toMatcherResult(sim.expectNoViolations(), `The sandbox "${sim.name}" has no violations.`),
  toHaveNoFindings: (sim: SandboxClient, allow?: readonly FindingKind[]) =>
    toMatcherResult(sim.expectNoFindings(allow), `The sandbox "${sim.name}" has no findings that are not allowed.`),
}

/** Converts an expectation to a matcher result. `notMessage`: the message for `.not` if the expectation is met. */
async function toMatcherResult(expectation: Promise<void>, notMessage: string) {
  try {
    await expectation
    return { pass: true, message: () => notMessage }
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error
    const { message } = error
    return { pass: false, message: () => message }
  }
}
