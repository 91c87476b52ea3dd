// @module-tag long
import { expect, test } from 'vitest'
import { describeRunner } from './contract.ts'
import type { TestOutcome } from './runner.ts'

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[]
  readonly specs: readonly {
    readonly title: string
    readonly tests: readonly {
      readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped'
      readonly results: readonly { readonly errors: readonly { readonly message: string }[] }[]
    }[]
  }[]
}

const options = ['test', '--reporter=json', '--workers=2', '--fully-parallel', '--timeout=60000']

/** Returns the outcomes of the tests in a suite and its nested suites. "flaky" means that a retry passed. */
function outcomesOf({ suites = [], specs }: PlaywrightSuite): TestOutcome[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ status, results }): TestOutcome => {
      const messages = results.flatMap(({ errors }) => errors.map(({ message }) => message))
      const outcome = status === 'unexpected' ? 'failed' : status === 'skipped' ? 'skipped' : 'passed'
      return { title, status: outcome, message: outcome === 'failed' ? messages.join('\n') : '' }
    }),
  )
  return [...own, ...suites.flatMap(outcomesOf)]
}

const project = describeRunner({
  section: 'Playwright',
  cases: 'playwright',
  packages: ['@playwright/test', 'playwright', 'playwright-core'],
  format: 'esm',
  command: ['node_modules/@playwright/test/cli.js', ...options],
  optionsWithoutSetup: ['--config=bare.config.js', '--grep', 'a good client|without a sandbox'],
  env: { PLAYWRIGHT_JSON_OUTPUT_NAME: 'report.json' },
  readOutcomes: (report) => (JSON.parse(report) as PlaywrightSuite).suites?.flatMap(outcomesOf) ?? [],
  passed: ['test.fail accepts findings as failures', 'a retried test starts with an empty sandbox'],
  mismatch: 'matchers report what differs',
  repeated: { 'a retried test starts with an empty sandbox': 'one sandbox' },
  compilations: [
    ['purchases.spec.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ['types.ts', '--module', 'nodenext'],
  ],
})

test('concurrent repetitions of a test have separate sandboxes', async () => {
  const { code, records } = await project().run(['--repeat-each=2', '--grep', 'a good client passes'])
  expect(code).toBe(0)
  expect(new Set(records.map(({ name }) => name)).size).toBe(2)
  expect(new Set(records.map(({ process }) => process)).size).toBe(2)
})
