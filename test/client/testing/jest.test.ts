// @module-tag long
import { describeRunner, readJestReport } from './contract.ts'

const options = ['--json', '--outputFile=report.json', '--maxWorkers=3', '--testTimeout=60000']

describeRunner({
  section: 'Jest',
  cases: 'jest',
  packages: ['jest', '@jest/globals'],
  format: 'cjs',
  command: ['node_modules/jest/bin/jest.js', ...options],
  optionsWithoutSetup: ['--config={}'],
  readOutcomes: readJestReport,
  passed: [
    'a client waits with fake timers',
    'a retried test starts with an empty sandbox',
    ...Array(2).fill('two tests have this name'),
  ],
  failed: { 'a concurrent test cannot have a sandbox': /not in test\.concurrent, because Jest does not run hooks/ },
  mismatch: 'expectations report what differs',
  repeated: {
    'a retried test starts with an empty sandbox': 'one sandbox',
    'two tests have this name': 'one sandbox',
    'expectations report what differs': 'one sandbox',
  },
})
