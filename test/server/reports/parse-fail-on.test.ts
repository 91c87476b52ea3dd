import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/command-line/parser/parse.ts'
import { commands } from '../../../src/features/commands.ts'
import { parseSuiteFailOn } from '../../../src/features/exec/settings.ts'
import { parseFailOn, parseGate } from '../../../src/server/reports/parse-fail-on.ts'

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

const wrong = ['', ',', 'violations', 'violation,', 'coverage', 'coverage<', 'coverage<101', 'coverage>80', 'toString']
test.each(wrong)('"%s" is refused with the list of conditions', (text) => {
  expect(parseFailOn(text)).toBeUndefined()
  const list = 'violation, unexpected, retry, advice, no-requests and coverage<N (N from 0 to 100)'
  const problem = expect.stringContaining(list)
  expect(parseCommandLine(commands, ['--fail-on', text], {})).toMatchObject({ kind: 'problem', problem })
})

test.each([
  [undefined, []],
  ['violation', ['violation', 'no-requests']],
  ['no-requests', ['no-requests']],
  ['violation,violation', ['violation', 'no-requests']],
  ['no-requests,retry', ['no-requests', 'retry']],
])('a gate of %j has the conditions %j', (text, kinds) => {
  expect(parseGate(text, false).map(({ kind }) => kind)).toEqual(kinds)
})

test('the gate of each has each condition once', () => {
  expect(parseSuiteFailOn('hung, hung,violation,violation')?.map(({ kind }) => kind)).toEqual(['hung', 'violation'])
})
