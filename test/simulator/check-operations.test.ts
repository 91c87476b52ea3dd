import { expect, test } from 'vitest'
import { checkOperations } from '../../src/simulator/check-operations.ts'
import { inputs } from '../support/catalogue.ts'

test('the operations of the bundled document have the shape that their handlers expect', () => {
  expect(checkOperations(inputs.contract, inputs.fixtures)).toEqual([])
})
