import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyNames, connect } from '../../../src/index.ts'
import { startWatched } from '../../support/start.ts'
import {
  type BehaviorRecord,
  createRunnerProject,
  type Runner,
  type RunnerProject,
  readBlocks,
  type TestOutcome,
} from './runner.ts'

/** The time limit for up to two runs of a test runner on a busy machine, in milliseconds. */
const limitMs = 480_000

/** The titles of the tests that run once in every project, with a pattern for the message of each failing test. */
const commonTests: Readonly<Record<string, RegExp | undefined>> = {
  'a good client passes': undefined,
  'that breaks the contract fails':
    /Requests broke the contract:\n +createEvent: body\/eventType is required \(request \S+\)/,
  'that requests an unknown path fails': /Responses were unexpected:\n +GET \S+\/v1\/nothing: 404 .*Known paths/,
  'that ignores Retry-After fails':
    /retry problems:\n +getModelAnalytics: A 429 asked for a wait of 30 s, but the client retried sooner: after [\d.]+ s \(req-\d+, then req-\d+\)\nIf the client uses .*To look at .*\nIf this is intended, allow it: sim\.allow\('retry'\)/s,
  'a test can allow retry problems': undefined,
  'an error thrown by the test itself is also shown': /the test is wrong/,
  'a test without a sandbox passes': undefined,
  'another file uses the same simulator': undefined,
  'a purchase is sent again if the first attempt is refused': undefined,
}

/** A pattern for the failure message of each runner's `mismatch` test. */
const mismatchMessage = /body\/eventType \(expected "refund", got "purchase"\)/

const defaultCompilations = [
  ['types.ts', '--module', 'nodenext'],
  ['types.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
] as const

/** Defines the tests for a test runner. Returns a function that returns the project, for use in further tests. */
export function describeRunner(runner: Runner): () => RunnerProject {
  let project: RunnerProject
  let firstRun: Awaited<ReturnType<RunnerProject['run']>>
  let secondRun: typeof firstRun
  /** The error that a client gets when it connects to the first run's simulator after that run. */
  let connectError: string
  /** The names of the sandboxes that the second run did not delete from its simulator. */
  let keptNames: string[]

  beforeAll(async () => {
    project = createRunnerProject(runner)
    firstRun = await project.run([])
    // Connects immediately, because the port is now free, and a concurrent test could take it.
    connectError = await connect(firstRun.records[0]?.controlUrl ?? '').then(() => 'a simulator is responding', String)
    const externalSimulator = await startWatched({ clock: 'real' })
    secondRun = await project.runAlone([], { CONVSIM_CONTROL_URL: externalSimulator.controlUrl })
    keptNames = (await (await connect<AnyNames>(externalSimulator.controlUrl)).sandboxes()).map(({ name }) => name)
    await externalSimulator.close()
  }, limitMs)
  afterAll(() => project.remove())

  describe(`in ${runner.section}`, () => {
    const messages = { ...commonTests, ...runner.failed, [runner.mismatch]: mismatchMessage }

    test('a client with findings fails only its own test', () => {
      const passed = [...Object.keys(commonTests).filter((title) => !commonTests[title]), ...runner.passed]
      const failed = Object.keys(messages).filter((title) => messages[title])
      expect(titlesOf(firstRun.outcomes, 'passed')).toEqual(passed.sort())
      expect(titlesOf(firstRun.outcomes, 'failed')).toEqual(failed.sort())
      expect(titlesOf(firstRun.outcomes, 'skipped')).toEqual(['a skipped test needs no sandbox'])
      expect(firstRun.code).toBe(1)
    })

    test.each(Object.entries(messages))('the test "%s" has the expected errors, if any', (title, message) => {
      const found = firstRun.outcomes.find((outcome) => outcome.title === title)
      expect(found?.message ?? '').toMatch(message ?? /^$/)
    })

    test('all workers share one simulator, which stops at the end of the run', () => {
      expect(new Set(firstRun.records.map(({ process }) => process)).size).toBeGreaterThan(1)
      expect(new Set(firstRun.records.map(({ controlUrl }) => controlUrl)).size).toBe(1)
      expect(connectError).toContain('No simulator is responding')
    })

    test('each test starts with an empty sandbox', () => {
      expect(firstRun.records.filter(({ events }) => events !== 1)).toEqual([])
    })

    test('a second run has the same sandbox names and event IDs', () => {
      expect(identitiesOf(firstRun.records).length).toBeGreaterThan(4)
      expect(identitiesOf(secondRun.records)).toEqual(identitiesOf(firstRun.records))
    })

    test('tests with the same name get the same sandbox name, unless they run concurrently', () => {
      const names = new Map<string, string[]>()
      for (const { title, name } of firstRun.records) names.set(title, [...(names.get(title) ?? []), name])
      const found = Array.from(names)
        .filter(([, sandboxes]) => sandboxes.length > 1)
        .map(([title, sandboxes]) => [title, new Set(sandboxes).size === 1 ? 'one sandbox' : 'separate sandboxes'])
      expect(Object.fromEntries(found)).toEqual(runner.repeated)
    })

    test('an external simulator keeps only the sandboxes with findings or an unmet expectation', () => {
      expect(titlesOf(secondRun.outcomes, 'failed')).toEqual(titlesOf(firstRun.outcomes, 'failed'))
      const nameParts = ['breaks-the-co', 'requests-an', 'ignores-retry', 'an-error-thrown', 'report-what']
      const isOptional = (name: string) => name === 'default' || /accepts-find|a-failed-expect/.test(name)
      const namesToCheck = keptNames.filter((name) => !isOptional(name))
      expect(namesToCheck.filter((name) => !nameParts.some((part) => name.includes(part)))).toEqual([])
      expect(namesToCheck).toHaveLength(nameParts.length)
    })

    const behavior = runner.startsSimulator
      ? 'the same tests fail as with a setup'
      : 'a test with a sandbox fails and says how to add a setup'
    test(`without a setup, ${behavior}`, { timeout: limitMs }, async () => {
      const { outcomes, code } = await project.runAlone(runner.optionsWithoutSetup)
      if (runner.startsSimulator)
        return expect(titlesOf(outcomes, 'failed')).toEqual(titlesOf(firstRun.outcomes, 'failed'))
      const sandboxTest = outcomes.find(({ title }) => title === 'a good client passes')
      expect(sandboxTest?.message).toMatch(
        /CONVSIM_CONTROL_URL is not set\. Add "conversation-analytics-simulator\/global-setup"/,
      )
      expect(titlesOf(outcomes, 'passed')).toContain('a test without a sandbox passes')
      expect(code).toBe(1)
    })

    test.each(runner.compilations ?? defaultCompilations)('%s compiles (%s %s)', (file, ...options) => {
      expect(project.compile(file, ...options)).toBe('')
    })
  })

  test(`every block in the section "${runner.section}" of docs/testing.md is either output or a project file`, () => {
    const blocks = readBlocks().filter(({ section }) => section === runner.section)
    expect(blocks.filter(({ file, language }) => file === undefined && language !== 'text')).toEqual([])
  })
  return () => project
}

interface JestResult {
  readonly title: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

/** Reads a report in Jest's JSON format, which vitest also writes. */
export function readJestReport(text: string): TestOutcome[] {
  const { testResults } = JSON.parse(text) as { testResults: { assertionResults: JestResult[] }[] }
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, status, failureMessages }) => ({
      title,
      status: status === 'passed' || status === 'failed' ? status : 'skipped',
      message: failureMessages.join('\n'),
    })),
  )
}

const titlesOf = (outcomes: readonly TestOutcome[], status: TestOutcome['status']) =>
  outcomes
    .filter((outcome) => outcome.status === status)
    .map(({ title }) => title)
    .sort()

const identitiesOf = (records: readonly BehaviorRecord[]) =>
  records.map(({ title, name, eventId }) => `${title}: ${name} ${eventId}`).sort()
