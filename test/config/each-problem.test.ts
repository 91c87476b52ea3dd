import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { parseCommandLine } from '../../src/config/parse.ts'

const [one, other] = ['resilience:reset@createEvent', 'resilience:slow@createEvent#2']

/** Returns the reason why `exec` refuses flags and variables, or undefined if it takes them. */
function refusalOf(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const invocation = parseCommandLine(commands, ['exec', ...flags, '--', 'true'], env)
  return invocation.kind === 'problem' ? invocation.problem : undefined
}

test.each([
  [[], { CONVSIM_FAIL_ON: 'unnoticed' }, 'CONVSIM_FAIL_ON unnoticed has a condition that needs '],
  [['--each', '--jobs', '2'], { CONVSIM_PORT: '4567' }, '--jobs takes no CONVSIM_PORT: '],
  [['--only', one, '--state', 'x.json'], {}, '--only takes no --state: '],
  [['--each', '--sync'], {}, '--each takes no --sync: '],
  [['--state', 'redis://a', '--bundle', 'x.json'], {}, '--bundle takes no state in Redis (--state): '],
  [['--state', 'redis://a', '--sync'], {}, '--sync takes no state in Redis (--state): '],
  [['--state-prefix', 'a'], {}, '--state-prefix needs a state in Redis: '],
  [['--replica', 'a'], {}, '--replica needs a state in Redis: '],
  [['--sync'], {}, '--sync needs a state on a disk: '],
  [['--analyses-window', '10s'], {}, '--analyses-window needs a limit: '],
  [['--each', '--only', one], {}, '--only takes no --each: it makes one run of all those that --each makes.'],
  [['--only', one, '--only', other], {}, '--only takes one run, and cannot be given twice. '],
])('%j with %j is refused by the name of what was given', (flags, env, start) => {
  expect(refusalOf(flags, env)?.slice(0, start.length)).toBe(start)
})

test.each<[string[], Readonly<Record<string, string>>]>([
  [['--state', 'redis://a', '--state-prefix', 'a'], {}],
  [[], { CONVSIM_STATE_PREFIX: 'a' }],
  [['--only', one], {}],
  [['--each', '--no-sync'], {}],
])('%j with %j is taken', (flags, env) => {
  expect(refusalOf(flags, env)).toBeUndefined()
})

test.each([[['--each']], [['--only', one]]])('%j passes over variables for other commands', (flags) => {
  const env = { CONVSIM_STATE: 'redis://localhost:1', CONVSIM_SYNC: '1', CONVSIM_BUNDLE: 'x.json' }
  expect(refusalOf(flags, env)).toBeUndefined()
  expect(refusalOf([...flags, '--state-prefix', 'a'], env)).toMatch(/ takes no --state-prefix: each run begins /)
})
