import { expect, test } from 'vitest'
import type { FailCondition } from '../../src/reports/fail-condition.ts'
import { judgeFailOn } from '../../src/reports/fail-on.ts'
import type { Report } from '../../src/reports/report.ts'
import { cleanReport } from './clean-report.ts'

const violation: FailCondition = { kind: 'violation' }
const unexpected: FailCondition = { kind: 'unexpected' }
const manners: FailCondition = { kind: 'manners' }
const coverage = (below: number): FailCondition => ({ kind: 'coverage', below })
const all = [violation, unexpected, manners, coverage(80)]

test.each<{ name: string; conditions: readonly FailCondition[]; report: Partial<Report>; failures: readonly string[] }>(
  [
    { name: 'a clean report passes', conditions: all, report: {}, failures: [] },
    {
      name: 'violations fail',
      conditions: [violation],
      report: { violations: 2 },
      failures: ['2 requests broke the contract'],
    },
    { name: 'other findings do not fail', conditions: [violation], report: { unexpected: 2 }, failures: [] },
    {
      name: 'an unexpected answer fails',
      conditions: [unexpected],
      report: { unexpected: 1 },
      failures: ['1 unexpected answer'],
    },
    {
      name: 'manners fail, also if their findings had no space',
      conditions: [manners],
      report: { manners: { list: [], further: 3 } },
      failures: ['3 findings on manners'],
    },
    {
      name: 'advice fails',
      conditions: [{ kind: 'advice' }],
      report: { advice: { list: [], further: 2 } },
      failures: ['2 pieces of advice'],
    },
    {
      name: 'a run without requests fails',
      conditions: [{ kind: 'no-requests' }],
      report: { requests: 0 },
      failures: ['no request reached the simulator (no-requests)'],
    },
    {
      name: 'coverage below a fraction fails',
      conditions: [coverage(80.1)],
      report: {},
      failures: ['80 % of the contract covered, 80.1 % wanted'],
    },
    {
      name: 'coverage below 100 fails',
      conditions: [coverage(100)],
      report: {},
      failures: ['80 % of the contract covered, 100 % wanted'],
    },
    {
      name: 'each condition that is met has a sentence',
      conditions: all,
      report: { violations: 1, unexpected: 1 },
      failures: ['1 request broke the contract', '1 unexpected answer'],
    },
  ],
)('$name', ({ conditions, report, failures }) => {
  expect(judgeFailOn({ ...cleanReport, ...report }, conditions)).toEqual(failures)
})
