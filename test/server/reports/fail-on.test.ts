import { expect, test } from 'vitest'
import { judgeFailOn } from '../../../src/server/reports/fail-on.ts'
import type { FailCondition } from '../../../src/server/reports/parse-fail-on.ts'
import type { Report } from '../../../src/server/reports/report.ts'
import { cleanReport } from './clean-report.ts'

const violation: FailCondition = { kind: 'violation' }
const unexpected: FailCondition = { kind: 'unexpected' }
const retry: FailCondition = { kind: 'retry' }
const coverage = (below: number): FailCondition => ({ kind: 'coverage', below })
const none = (further: number) => ({ list: [], further })
const all = [violation, unexpected, retry, coverage(80)]

test.each<[string, readonly FailCondition[], Partial<Report>, readonly string[]]>([
  ['a clean report passes', all, {}, []],
  ['violations fail', [violation], { violations: 2 }, ['2 requests broke the contract']],
  ['other findings do not fail', [violation], { unexpected: 2 }, []],
  ['an unexpected response fails', [unexpected], { unexpected: 1 }, ['1 unexpected response']],
  ['retries fail, also if their findings had no space', [retry], { retries: none(3) }, ['3 retry problems']],
  ['advice fails', [{ kind: 'advice' }], { advice: none(2) }, ['2 pieces of advice']],
  ['no requests fail', [{ kind: 'no-requests' }], { requests: 0 }, ['no request reached the simulator (no-requests)']],
  ['coverage below a fraction fails', [coverage(80.1)], {}, ['80 % of the contract covered, 80.1 % wanted']],
  ['coverage below 100 fails', [coverage(100)], {}, ['80 % of the contract covered, 100 % wanted']],
  [
    'each condition that is met has a sentence',
    all,
    { violations: 1, unexpected: 1 },
    ['1 request broke the contract', '1 unexpected response'],
  ],
])('%s', (_name, conditions, report, failures) => {
  expect(judgeFailOn({ ...cleanReport, ...report }, conditions)).toEqual(failures)
})
