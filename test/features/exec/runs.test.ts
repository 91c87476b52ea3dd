import { expect, test } from 'vitest'
import { formatRepeatCommand } from '../../../src/features/exec/report/suite-findings.ts'
import { describeProgress } from '../../../src/features/exec/report/suite-report.ts'
import { LastLines } from '../../../src/features/exec/runs/run-command.ts'
import { eachSettings } from '../../../src/features/exec/settings.ts'
import { defaultsOf } from '../../../src/server/settings/setting.ts'
import { judgedRun } from './made-up.ts'

test.each([
  [0, 0, {}, 'run 1 of 10, 0 findings'],
  [2, 4000, {}, 'run 3 of 10, 1 finding, 16 s left'],
  [5, 600_000, {}, 'run 6 of 10, 1 finding, 10 min left'],
  [3, 6000, { attemptCount: 2 }, 'run 4 of 10, 1 repeated, 1 finding, 14 s left'],
  [2, 4000, { total: 100, untilDeadlineMs: 6000 }, 'run 3 of 100, 1 finding, 6 s left'],
])('after %i runs in %i ms, with the values %j, the progress line is "%s"', (ended, elapsedMs, more, line) => {
  const { total, untilDeadlineMs, attemptCount } = { total: 10, untilDeadlineMs: Infinity, attemptCount: 1, ...more }
  const runs = Array.from({ length: ended }, (_, at) =>
    judgedRun('reset createEvent 1', at === 0 ? 'broke' : 'recovered', { attemptCount: at === 0 ? attemptCount : 1 }),
  )
  expect(describeProgress(runs, total, { elapsedMs, untilDeadlineMs })).toBe(line)
})

test('the last 40 lines of two streams are kept in order of completion, uncolored, each cut to 500 characters', () => {
  const lines = new LastLines()
  const [out, errors] = [lines.openStream(), lines.openStream()]
  for (let line = 1; line <= 50; line += 1) out(`${line}\n`)
  out('first\nsec')
  errors('\u001b[31mbad\u001b[0m\n\n')
  out(`ond\n${'x'.repeat(600)}`)
  out('x'.repeat(600))
  const list = lines.list()
  expect([list.length, ...list.slice(-5)]).toEqual([40, '50', 'first', 'bad', 'second', 'x'.repeat(500)])
})

const settings = defaultsOf(eachSettings)
const credentialHint = ' # replace [redacted] with the credential'

test.each([
  [["it's $HOME"], "'it'\\''s $HOME'"],
  [['token=abcdefgh'], `'token=[redacted]'${credentialHint}`],
  [['--token', 'abc defgh'], `--token '[redacted]'${credentialHint}`],
  [['-H', 'authorization: Bearer abcdefgh'], `-H 'authorization: Bearer [redacted]'${credentialHint}`],
])('the command that repeats a run with the arguments %j is quoted for a shell, without credentials', (words, text) => {
  expect(formatRepeatCommand('a@b', { settings, args: ['node', ...words], failOn: [] })).toBe(
    `convsim each --only a@b -- node ${text}`,
  )
})

test('the command that repeats a run has the settings that affect the run, and no other settings', () => {
  const bounded = { ...settings, seed: '7', runTimeout: '5s', set: 'drift', jobs: 2, failOn: 'hung' }
  const line = formatRepeatCommand('a@b', { settings: bounded, args: ['node'], failOn: [] })
  expect(line).toBe('convsim each --only a@b --run-timeout 5s --seed 7 -- node')
})
