import { expect, test } from 'vitest'
import { checkOperations } from '../../../src/server/simulator/check-operations.ts'
import type { Contract } from '../../../src/service/contract/contract.ts'
import { loadContract } from '../../../src/service/contract/load.ts'
import { inputs } from '../../support/catalogue.ts'
import { documentWith } from '../../support/documents.ts'

const warningsOf = (contract: Contract) => checkOperations(contract, inputs.fixtures).contract.warnings

test('the operations of the bundled document have the shape that their handlers expect', () => {
  const { problems, contract } = checkOperations(inputs.contract, inputs.fixtures)
  expect([problems, contract.warnings]).toEqual([[], []])
})

test('a period that is no number of days is found', async () => {
  const loaded = await loadContract(await documentWith('[7d, 30d, 90d]', '[7d, 30d, 90d, 24h, all]'))
  const message = 'the periods 24h, all are no number of days, such as 14d: they get 30 days'
  expect(loaded.ok && warningsOf(loaded.value)).toMatchObject([{ severity: 'warning', message }])
})
