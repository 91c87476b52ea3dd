import { expect, test } from 'vitest'
import { findHandled, findUnsupportedPeriods, handledIds } from '../../../src/server/simulator/check-operations.ts'
import { loadContract } from '../../../src/service/contract/load.ts'
import { inputs } from '../../support/catalogue.ts'
import { documentWith } from '../../support/documents.ts'

test('the operations in the bundled document have the shape that their handlers expect', () => {
  expect(findHandled(inputs.contract, inputs.fixtures)).toEqual({ handled: handledIds, warnings: [] })
  expect(findUnsupportedPeriods(inputs.contract)).toEqual([])
})

test('a period that is not a number of days is reported', async () => {
  const loaded = await loadContract(await documentWith('[7d, 30d, 90d]', '[7d, 30d, 90d, 24h, all]'))
  const message = 'periods must be in days, such as 14d; 30 days are used instead of 24h or all'
  expect(loaded.ok && findUnsupportedPeriods(loaded.value)).toMatchObject([{ severity: 'warning', message }])
})
