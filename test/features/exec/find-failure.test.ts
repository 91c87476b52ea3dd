import { expect, test } from 'vitest'
import { findFailure } from '../../../src/features/exec/report/suite-findings.ts'

const tap = `ok 1 - reads
# Subtest: writes
not ok 2 - writes
  ---
  error: 'Expected 1 event'
1..2
# fail 1`
const pytest = `____ test_write ____
    def test_write():
>       assert count == 1
E       assert 2 == 1
1 failed in 0.2s`
const vitest = ` × writes 12ms

 FAIL  a.test.ts > writes
AssertionError: expected 2 to be 1
 Tests  1 failed`

test.each([
  ['TAP', tap, 'ok 1 - reads'],
  ['pytest', pytest, '    def test_write():'],
  ['vitest', vitest, ''],
  ['nothing that failed', 'reading\ndone', undefined],
])('the assertion of %s is found above the counts', (_, output, first) => {
  const lines = output.split('\n')
  expect(lines[findFailure(lines) ?? Number.NaN]).toBe(first)
})
