import { expect, test } from 'vitest'
import { findHandled, findLimits, handledIds } from '../../../src/server/simulator/check-operations.ts'
import { loadContract } from '../../../src/service/contract/load.ts'
import { inputs } from '../../support/catalogue.ts'
import { documentWith } from '../../support/documents.ts'

test('the operations in the bundled document have the shape that their handlers expect', () => {
  expect(findHandled(inputs.contract, inputs.fixtures)).toEqual({ handled: handledIds, warnings: [] })
  expect(findLimits(inputs.contract)).toEqual([])
})

test('a period that is not a number of days is reported', async () => {
  const loaded = await loadContract(await documentWith('[7d, 30d, 90d]', '[7d, 30d, 90d, 24h, all]'))
  const message = 'the periods 24h, all are not in days (14d, for example), so 30 days are used'
  expect(loaded.ok && findLimits(loaded.value)).toMatchObject([{ severity: 'warning', message }])
})
