import { expect, test } from 'vitest'
import { defaultsOf } from '../../src/config/setting.ts'
import { describeRepeat } from '../../src/exec/runs/repeat-command.ts'
import { execSettings } from '../../src/exec/settings.ts'

const settings = defaultsOf(execSettings)
const repeat = (...command: string[]) => describeRepeat(['--only', 'a@b'], settings, command)

test('the line that repeats a run is quoted for a shell', () => {
  expect(repeat('node', "it's $HOME")).toBe("convsim exec --only a@b -- node 'it'\\''s $HOME'")
})

test.each([
  [['token=abcdefgh'], "'token=[redacted]'"],
  [['--token', 'abc defgh'], "--token '[redacted]'"],
  [['-H', 'authorization: Bearer abcdefgh'], "-H 'authorization: Bearer [redacted]'"],
])('the line without the credential of %j is quoted for a shell, and says where to put it back', (words, text) => {
  expect(repeat('node', ...words)).toBe(
    `convsim exec --only a@b -- node ${text} # put the credential back at [redacted]`,
  )
})

test('the line that repeats a run names no state, since each run has its own in memory', () => {
  const shared = { ...settings, state: 'redis://cache:6379', statePrefix: 'team', seed: '7' }
  expect(describeRepeat(['--only', 'a@b'], shared, ['node', 'x.js'])).toBe(
    'convsim exec --only a@b --seed 7 -- node x.js',
  )
})
