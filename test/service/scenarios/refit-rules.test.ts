import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import { activateRules, readRules } from '../../../src/service/scenarios/rules.ts'
import { inputs } from '../../support/catalogue.ts'

function rulesOf(...rules: JsonObject[]) {
  const read = readRules({ rules }, inputs)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}

test('a rule that is loaded again keeps its key, and so its counts, wherever it stands', () => {
  const [slow, refused] = [{ scenario: 'slow;ms=1' }, { scenario: 'forbidden' }]
  const former = activateRules('start-up', rulesOf(slow, refused))
  const again = activateRules('start-up 2', rulesOf({ scenario: '404' }, refused, slow, slow), former)
  expect(again.map(({ key }) => key)).toEqual(['start-up 2 0', 'start-up 1', 'start-up 0', 'start-up 2 3'])
})
