import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/command-line/parser/parse.ts'
import { commands } from '../../../src/features/commands.ts'

const [firstRun, secondRun] = ['resilience:reset@createEvent', 'resilience:slow@createEvent#2']

/** Returns the message with which a command refuses flags and variables, or undefined if it accepts them. */
function refusalOf([command = '', ...flags]: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const invocation = parseCommandLine(commands, [command, ...flags, '--', 'true'], env)
  return invocation.kind === 'problem' ? invocation.problem : undefined
}

test.each([
  [['exec'], { CONVSIM_FAIL_ON: 'unnoticed' }, 'CONVSIM_FAIL_ON takes violation, '],
  [['exec', '--jobs', '2'], {}, '--jobs works only with convsim each.'],
  [['exec', '--state', 'redis://a', '--sync'], {}, '--sync does not work with state in Redis (--state): '],
  [['exec', '--state-prefix', 'a'], {}, '--state-prefix needs state in Redis: '],
  [['exec', '--replica', 'a'], {}, '--replica needs state in Redis: '],
  [['exec', '--sync'], {}, '--sync needs state on disk: '],
  [['exec', '--analyses-window', '10s'], {}, '--analyses-window needs a limit: '],
  [['each', '--analyses-window', '10s'], {}, '--analyses-window needs a limit: '],
  [['each', '--jobs', '2'], { CONVSIM_PORT: '4567' }, '--jobs cannot be combined with CONVSIM_PORT: '],
  [['each', '--state', 'x.json'], {}, '--state has no effect on convsim each.'],
  [['each', '--sync'], {}, '--sync has no effect on convsim each.'],
  [['each', '--set', 'drift', '--only', firstRun], {}, '--only cannot be combined with --set: '],
  [['each', '--only', firstRun, '--only', secondRun], {}, '--only names one run and cannot be specified twice. '],
])('%j with %j is refused, and the message starts with the flag or variable', (argv, env, start) => {
  expect(refusalOf(argv, env)?.slice(0, start.length)).toBe(start)
})

test.each<[string[], Readonly<Record<string, string>>]>([
  [['exec', '--state', 'redis://a', '--state-prefix', 'a'], {}],
  [['exec'], { CONVSIM_STATE_PREFIX: 'a' }],
  [['each', '--only', firstRun], {}],
  [['each'], { CONVSIM_STATE: 'redis://localhost:1', CONVSIM_SYNC: '1' }],
])('%j with %j is accepted', (argv, env) => {
  expect(refusalOf(argv, env)).toBeUndefined()
})
