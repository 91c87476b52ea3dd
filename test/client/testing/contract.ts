import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyNames, connect } from '../../../src/index.ts'
import { startWatched } from '../../support/start.ts'
import {
  type BehaviourRecord,
  createRunnerProject,
  type Runner,
  type RunnerProject,
  readBlocks,
  type TestOutcome,
} from './runner.ts'

/** Milliseconds that two runs of a runner may take on a busy machine. */
const limitMs = 480_000

/** The titles of tests that each runner has once, with their failure messages, or undefined if they pass. */
const commonTests: Readonly<Record<string, RegExp | undefined>> = {
  'a good client passes': undefined,
  'that breaks the contract fails':
    /Requests broke the contract:\n +createEvent: body\/eventType is required \(request \S+\)/,
  'that is refused fails': /Responses were unexpected:\n +GET \S+\/v1\/nothing: 404 .*Known paths/,
  'that ignores Retry-After fails':
    /retry problems:\n +getModelAnalytics: A 429 demanded a wait of 30 s, but the client retried earlier: after [\d.]+ s \(req-\d+, then req-\d+\)\nDoes .*To look at .*\nIf this is intended: sim\.allow\('retry'\)/s,
  'retry problems are allowed': undefined,
  'an error of the test itself is shown, too': /the test is wrong/,
  'a test without a sandbox passes': undefined,
  'another file uses the same simulator': undefined,
  'a purchase is recorded once, although the first attempt is refused': undefined,
}

/** The message of the last test of each runner. */
const differs = /body\/eventType \(expected "refund", got "purchase"\)/

const typesEverywhere = [
  ['types.ts', '--module', 'nodenext'],
  ['types.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
] as const

/** Tests a runner as docs/testing.md sets it up, in a project with the packed package. Returns a getter of it. */
export function describeRunner(runner: Runner): () => RunnerProject {
  let project: RunnerProject
  let own: Awaited<ReturnType<RunnerProject['run']>>
  let outside: typeof own
  /** The error of a client that connects to the simulator of the first run after it. */
  let afterwards: string
  /** The names of the sandboxes that the second run left in its simulator. */
  let left: string[]

  beforeAll(async () => {
    project = createRunnerProject(runner)
    own = await project.run([])
    // At once, since the port is free again, and a concurrent test may get it.
    afterwards = await connect(own.records[0]?.controlUrl ?? '').then(() => 'A simulator responds', String)
    const elsewhere = await startWatched({ clock: 'real' })
    outside = await project.runAlone([], { CONVSIM_CONTROL_URL: elsewhere.controlUrl })
    left = (await (await connect<AnyNames>(elsewhere.controlUrl)).sandboxes()).map(({ name }) => name)
    await elsewhere.close()
  }, limitMs)
  afterAll(() => project.remove())

  describe(`in ${runner.section}`, () => {
    const failing = { ...commonTests, ...runner.failed, [runner.differing]: differs }

    test('a client with findings fails only its own test', () => {
      const passed = [...Object.keys(commonTests).filter((title) => !commonTests[title]), ...runner.passed]
      const failed = Object.keys(failing).filter((title) => failing[title])
      expect(titlesOf(own.outcomes, 'passed')).toEqual(passed.sort())
      expect(titlesOf(own.outcomes, 'failed')).toEqual(failed.sort())
      expect(titlesOf(own.outcomes, 'skipped')).toEqual(['a skipped test needs no sandbox'])
      expect(own.code).toBe(1)
    })

    test.each(Object.entries(failing))('"%s" says what to check', (title, message) => {
      const found = own.outcomes.find((outcome) => outcome.title === title)
      expect(found?.message ?? '').toMatch(message ?? /^$/)
    })

    test('all workers share one simulator, which stops at the end', () => {
      expect(new Set(own.records.map(({ process }) => process)).size).toBeGreaterThan(1)
      expect(new Set(own.records.map(({ controlUrl }) => controlUrl)).size).toBe(1)
      expect(afterwards).toContain('No simulator responds')
    })

    test('each test begins in an empty sandbox', () => {
      expect(own.records.filter(({ events }) => events !== 1)).toEqual([])
    })

    test('another run has the same sandbox names and identifiers', () => {
      expect(identitiesOf(own.records).length).toBeGreaterThan(4)
      expect(identitiesOf(outside.records)).toEqual(identitiesOf(own.records))
    })

    test('tests with the same name share a sandbox in turn, and have separate ones when concurrent', () => {
      const names = new Map<string, string[]>()
      for (const { title, name } of own.records) names.set(title, [...(names.get(title) ?? []), name])
      const found = Array.from(names)
        .filter(([, each]) => each.length > 1)
        .map(([title, each]) => [title, new Set(each).size === 1 ? 'one sandbox' : 'own sandboxes'])
      expect(Object.fromEntries(found)).toEqual(runner.repeated)
    })

    test('a simulator that runs elsewhere keeps only the sandboxes with findings', () => {
      expect(titlesOf(outside.outcomes, 'failed')).toEqual(titlesOf(own.outcomes, 'failed'))
      const words = ['breaks-the-co', 'is-refused', 'ignores-retry', 'an-error-of']
      const rest = left.filter((name) => name !== 'default' && !name.includes('holds-for-find'))
      expect(rest.filter((name) => !words.some((word) => name.includes(word)))).toEqual([])
      expect(rest).toHaveLength(words.length)
    })

    const help = runner.startsOwn ? 'worker starts a simulator' : 'test with a sandbox says how to add one'
    test(`without a set-up, each ${help}`, { timeout: limitMs }, async () => {
      const { outcomes, code } = await project.runAlone(runner.bare)
      if (runner.startsOwn) return expect(titlesOf(outcomes, 'failed')).toEqual(titlesOf(own.outcomes, 'failed'))
      const needy = outcomes.find(({ title }) => title === 'a good client passes')
      expect(needy?.message).toMatch(
        /CONVSIM_CONTROL_URL is not set\. Add "conversation-analytics-simulator\/global-setup"/,
      )
      expect(titlesOf(outcomes, 'passed')).toContain('a test without a sandbox passes')
      expect(code).toBe(1)
    })

    test.each(runner.compiled ?? typesEverywhere)('%s compiles, except misspelt names', (file, ...options) => {
      expect(project.compile(file, ...options)).toBe('')
    })
  })

  test(`the section "${runner.section}" of docs/testing.md has only blocks of output and of files that run`, () => {
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

/** Reads the JSON report of Jest, whose format vitest also writes. */
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

const identitiesOf = (records: readonly BehaviourRecord[]) =>
  records.map(({ title, name, eventId }) => `${title}: ${name} ${eventId}`).sort()
