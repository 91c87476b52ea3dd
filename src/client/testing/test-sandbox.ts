import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { connect, type SimulatorClient } from '../connect.ts'
import { type FindingKind, refuseUnknownKinds } from '../describe.ts'
import { ExpectationError } from '../expectation-error.ts'
import type { SandboxClient } from '../sandbox.ts'
import type { BundledNames, Names } from '../typed-names.ts'

/** The sandbox for one test. The test fails at the end if there are findings that `allow` did not allow. */
export interface TestSandbox<N extends Names = BundledNames> extends SandboxClient<N> {
  /** Allows findings of these kinds in this test: `sim.allow('retry')`. */
  allow(...kinds: readonly FindingKind[]): void
  /** Advances both the sandbox's clock and the fake timers: `await sim.advanceTimers(vi, 30_000)`. */
  advanceTimers(timers: FakeTimers, ms: number): Promise<void>
}

/** The fake timers of vitest (`vi`), Jest (`jest`) or node:test (`t.mock.timers`). */
export type FakeTimers = { advanceTimersByTimeAsync(ms: number): Promise<unknown> } | { tick(ms: number): void }

export interface SandboxFixtures {
  /** The test's own sandbox. The test fails at the end if there are findings that `sim.allow` did not allow. */
  readonly sim: TestSandbox
}

export type OpenSandbox<N extends Names> = Awaited<ReturnType<typeof openSandbox<N>>>

interface TestLocation {
  /** The path relative to the project's folder, so that it is the same on every machine. */
  readonly file: string
  /** The names that identify the test in its file, such as those of its project, its groups and the test itself. */
  readonly names: readonly string[]
}

const openNames = new Set<string>()

/**
 * Opens the sandbox for a test. The sandbox's name is derived from the test's location, so that generated IDs
 * and numbers are the same in each run. `startSimulator` starts a simulator if `CONVSIM_CONTROL_URL` is not set.
 * @throws Error if no simulator is running at `CONVSIM_CONTROL_URL`, or if there is neither a URL nor `startSimulator`
 */
export async function openSandbox<N extends Names = BundledNames>(
  location: TestLocation,
  startSimulator?: () => Promise<SimulatorClient>,
) {
  const simulator = await connectOnce(startSimulator)
  const name = findFreeName(sandboxNameOf(location))
  const sandbox = simulator.sandbox(name) as unknown as SandboxClient<N> // `N` affects only the types
  openNames.add(name)
  try {
    await sandbox.delete() // an earlier run may have left it behind
    await sandbox.reset() // creates it, so that there is a report even without requests
  } catch (error) {
    openNames.delete(name)
    throw error
  }
  const allowed = new Set<FindingKind>()
  const allow: TestSandbox['allow'] = (...kinds) => {
    refuseUnknownKinds(kinds)
    for (const kind of kinds) allowed.add(kind)
  }
  const advanceTimers: TestSandbox['advanceTimers'] = async (timers, ms) => {
    await sandbox.clock.advance(`${ms}ms`) // before the timers, since a timer's callback may send a request
    if ('tick' in timers) timers.tick(ms)
    else await timers.advanceTimersByTimeAsync(ms)
  }
  let hasUnmetExpectation = false
  const expectReceived: TestSandbox<N>['expectReceived'] = async (operation, expectation) => {
    hasUnmetExpectation = true // stays true unless the expectation is met before the test ends
    const expectationMet = sandbox.expectReceived(operation, expectation)
    // Set again on failure, since another expectation, checked at the same time, may have been met.
    await expectationMet.finally(() => (hasUnmetExpectation = true))
    hasUnmetExpectation = false
  }
  const sim: TestSandbox<N> = { ...sandbox, expectReceived, allow, advanceTimers }
  return {
    sim,
    /** Throws if any findings are not allowed; otherwise, deletes the sandbox unless its last expectation was unmet. */
    async close(): Promise<void> {
      try {
        await sandbox.expectNoFindings([...allowed])
        if (!hasUnmetExpectation) await sandbox.delete() // an unmet expectation's error can link to the sandbox
      } catch (error) {
        if (!(error instanceof ExpectationError)) throw error
        throw new ExpectationError(error.message.replace(/: expectNoFindings\(\[([^\n:]*)\]\)$/, ': sim.allow($1)'))
      } finally {
        openNames.delete(name)
      }
    },
  }
}

let connection: Promise<SimulatorClient> | undefined

/** Connects to the simulator at `CONVSIM_CONTROL_URL`, or starts one. Later calls return the same connection. */
function connectOnce(startSimulator?: () => Promise<SimulatorClient>): Promise<SimulatorClient> {
  const { CONVSIM_CONTROL_URL: url, CONVSIM_CONTROL_TOKEN: token } = process.env
  const open = url ? () => connect(url, token === undefined ? {} : { token }) : startSimulator
  if (!open) {
    throw new Error(
      'No simulator is running for these tests: CONVSIM_CONTROL_URL is not set. ' +
        'Add "conversation-analytics-simulator/global-setup" to globalSetup in your test configuration, ' +
        'or run the tests with: npx convsim exec -- npm test',
    )
  }
  connection ??= open().catch((error: unknown) => {
    connection = undefined // the next test tries again
    throw error
  })
  return connection
}

/** Returns a readable name that ends with a digest of the location: `checkout-test-ts-retries-3f9c01ab`. */
function sandboxNameOf({ file, names }: TestLocation): string {
  const words = [basename(file), ...names].join(' ').replace(/[^a-z0-9]+/gi, '-')
  const digest = hash('sha256', JSON.stringify([file.replaceAll('\\', '/'), ...names]))
  return `${words.toLowerCase().slice(0, 50).replace(/^-|-$/g, '')}-${digest.slice(0, 8)}`.replace(/^-/, '')
}

/** Returns the name, followed by a number if a running test already uses that name, as can happen with `test.each`. */
function findFreeName(name: string, number = 1): string {
  const numbered = number === 1 ? name : `${name}-${number}`
  return openNames.has(numbered) ? findFreeName(name, number + 1) : numbered
}
