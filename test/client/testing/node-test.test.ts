// @module-tag long
import { describeRunner } from './contract.ts'
import { parseJsonLines, type TestOutcome } from './runner.ts'

/** The titles of the suites and of the test with subtests. */
const ignoredTitles = ['a client', 'at the same time', 'a test has subtests']

describeRunner({
  section: 'node:test',
  cases: 'node-test',
  packages: [],
  format: 'esm',
  command: ['--test', '--test-reporter=./json-reporter.mjs', '--test-reporter-destination=report.json'],
  starter: ['node_modules/conversation-analytics-simulator/dist/cli.js', 'exec', '--', process.execPath],
  optionsWithoutSetup: [],
  readOutcomes: (report) => parseJsonLines<TestOutcome>(report).filter(({ title }) => !ignoredTitles.includes(title)),
  passed: [
    'a client waits with fake timers',
    'two tests have this name',
    'two tests have this name',
    'two concurrent tests have this name',
    'two concurrent tests have this name',
    'a subtest has its own sandbox',
  ],
  mismatch: 'expectations report what differs',
  repeated: { 'two tests have this name': 'one sandbox', 'two concurrent tests have this name': 'separate sandboxes' },
})
