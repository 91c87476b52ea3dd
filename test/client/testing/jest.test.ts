// @module-tag long
import { describeRunner, readJestReport } from './contract.ts'

const options = ['--json', '--outputFile=report.json', '--maxWorkers=3', '--testTimeout=60000']

describeRunner({
  section: 'Jest',
  cases: 'jest',
  packages: ['jest', '@jest/globals'],
  format: 'cjs',
  command: ['node_modules/jest/bin/jest.js', ...options],
  bare: ['--config={}'],
  readOutcomes: readJestReport,
  passed: [
    'a client waits on fake timers',
    'a retried test begins again',
    ...Array(2).fill('two tests have this name'),
  ],
  failed: { 'a concurrent test has no sandbox': /not in test\.concurrent, for which Jest runs no hooks/ },
  differing: 'expectations say what differs',
  repeated: {
    'a retried test begins again': 'one sandbox',
    'two tests have this name': 'one sandbox',
    'expectations say what differs': 'one sandbox',
  },
})
