import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/command-line/parser/parse.ts'
import { commands } from '../../../src/features/commands.ts'
import { parseSuiteFailOn } from '../../../src/features/exec/settings.ts'
import { judgeFailOn, type Report } from '../../../src/server/reports/report.ts'
import { type FailCondition, parseFailOn, parseGate } from '../../../src/server/reports/reported-run.ts'
import { cleanReport } from './clean-report.ts'

test.each([
  ['advice', [{ kind: 'advice' }]],
  ['coverage<80.1', [{ kind: 'coverage', below: 80.1 }]],
  ['coverage<80.25', [{ kind: 'coverage', below: 80.25 }]],
  ['coverage < 100 ', [{ kind: 'coverage', below: 100 }]],
  [
    'violation, unexpected,retry,coverage<80',
    [{ kind: 'violation' }, { kind: 'unexpected' }, { kind: 'retry' }, { kind: 'coverage', below: 80 }],
  ],
])('"%s" is parsed', (text, conditions) => {
  expect(parseFailOn(text)).toEqual(conditions)
})

const invalid = ['', ',', 'violations', 'violation,', 'coverage<', 'coverage<101', 'coverage>80', 'toString']
test.each(invalid)('"%s" is refused with the list of valid conditions', (text) => {
  expect(parseFailOn(text)).toBeUndefined()
  const list = 'violation, unexpected, retry, unmet, advice, no-requests and coverage<N (N from 0 to 100)'
  const problem = expect.stringContaining(list)
  expect(parseCommandLine(commands, ['--fail-on', text], {})).toMatchObject({ kind: 'problem', problem })
})

test.each([
  [undefined, []],
  ['violation', ['violation', 'no-requests']],
  ['no-requests', ['no-requests']],
  ['violation,violation', ['violation', 'no-requests']],
  ['no-requests,retry', ['no-requests', 'retry']],
])('the gate %j has the conditions %j', (text, kinds) => {
  expect(parseGate(text, false).map(({ kind }) => kind)).toEqual(kinds)
})

test('the gate of `convsim each` contains each condition only once', () => {
  expect(parseSuiteFailOn('hung, hung,violation,violation')?.map(({ kind }) => kind)).toEqual(['hung', 'violation'])
})

const violation: FailCondition = { kind: 'violation' }
const unexpected: FailCondition = { kind: 'unexpected' }
const retry: FailCondition = { kind: 'retry' }
const coverage = (below: number): FailCondition => ({ kind: 'coverage', below })
const withFurther = (kind: 'retries' | 'advice', further: number) => ({
  findings: { ...cleanReport.findings, [kind]: { list: [], further } },
})
const fourConditions = [violation, unexpected, retry, coverage(80)]

test.each<[string, readonly FailCondition[], Partial<Report>, readonly string[]]>([
  ['no findings and exactly the required coverage passes', fourConditions, {}, []],
  ['violations fails', [violation], { violations: 2 }, ['2 requests broke the contract']],
  ['only findings for other conditions passes', [violation], { unexpected: 2 }, []],
  ['an unexpected response fails', [unexpected], { unexpected: 1 }, ['1 unexpected response']],
  ['retry problems fails, even if they are not listed', [retry], withFurther('retries', 3), ['3 retry problems']],
  ['advice fails', [{ kind: 'advice' }], withFurther('advice', 2), ['2 pieces of advice']],
  ['no requests fails', [{ kind: 'no-requests' }], { requests: 0 }, ['no request reached the simulator (no-requests)']],
  ['coverage below a limit with decimals fails', [coverage(80.1)], {}, ['80% of the contract covered, 80.1% required']],
  ['coverage below 100 fails', [coverage(100)], {}, ['80% of the contract covered, 100% required']],
  [
    'findings for two conditions fails because of both',
    fourConditions,
    { violations: 1, unexpected: 1 },
    ['1 request broke the contract', '1 unexpected response'],
  ],
])('a report with %s', (_name, conditions, report, failures) => {
  expect(judgeFailOn({ ...cleanReport, ...report }, conditions)).toEqual(failures)
})
