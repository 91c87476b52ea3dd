// @module-tag long
import { describeRunner } from './contract.ts'
import { type Runner, readLines, type TestOutcome } from './runner.ts'

const run = ['--test', '--test-reporter=./json-reporter.mjs', '--test-reporter-destination=report.json']

const runner: Runner = {
  section: 'node:test',
  cases: 'node-test',
  packages: [],
  format: 'esm',
  command: ['node_modules/conversation-analytics-simulator/dist/cli.js', 'exec', '--', process.execPath, ...run],
  readOutcomes: (report) => readLines<TestOutcome>(report).filter(({ title }) => !groups.includes(title)),
}

/** The tests that hold other tests. */
const groups = ['a client', 'at the same time', 'a test has subtests']

describeRunner(runner, {
  passed: [
    'two tests have this name',
    'two tests have this name',
    'two concurrent tests have this name',
    'two concurrent tests have this name',
    'a subtest has a sandbox of its own',
  ],
  failed: {},
  differing: 'expectations tell what differs',
  repeated: { 'two tests have this name': 'one sandbox', 'two concurrent tests have this name': 'own sandboxes' },
  runElsewhere: (project, env) => project.runCommand(run, env),
  runWithoutSetup: (project) => project.runCommand(run),
})
