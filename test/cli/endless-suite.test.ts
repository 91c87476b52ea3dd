import { expect, test } from 'vitest'
import { run } from '../support/command.ts'

const endless = ['--', process.execPath, '-e', "console.log('waiting'); setInterval(() => {}, 1000)"]

test.each([
  [['--time', '1s'], 'within --time 1s (for two runs)'],
  [['--run-timeout', '1s'], 'within --run-timeout 1s'],
])('%j ends a command that does not end without faults', async (flags, limit) => {
  const { code, stderr } = await run(['exec', '--each', 'reset', ...flags, ...endless])
  expect(code).toBe(1)
  expect(stderr).toBe(
    `convsim: the command does not end ${limit} without any fault, so it cannot be tried. Its last lines:\n  waiting\n`,
  )
})
