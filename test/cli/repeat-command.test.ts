import { expect, test } from 'vitest'
import { describeRepeat } from '../../src/cli/each/repeat-command.ts'
import { defaultSettings } from '../../src/config/settings.ts'

const settings = { ...defaultSettings(), state: ':memory:' }
const repeat = (...command: string[]) => describeRepeat(['--only', 'a@b'], settings, command)

test('the line that repeats a run is quoted for a shell', () => {
  expect(repeat('node', "it's $HOME")).toBe("convsim exec --only a@b -- node 'it'\\''s $HOME'")
})

test.each([
  [['token=abcdefgh'], "'token=[redacted]'"],
  [['--token', 'abc defgh'], "--token '[redacted]'"],
  [['-H', 'authorization: Bearer abcdefgh'], "-H 'authorization: Bearer [redacted]'"],
])(
  'the line without the credential of %j is quoted for a shell, and says where to put it back',
  (words, text) => {
    expect(repeat('node', ...words)).toBe(
      `convsim exec --only a@b -- node ${text} # put the credential back at [redacted]`,
    )
  },
)
