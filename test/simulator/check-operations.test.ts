import { expect, test } from 'vitest'
import { checkOperations } from '../../src/simulator/check-operations.ts'
import { createBundledWorld } from '../simulation/bundled-world.ts'
import { inputs } from '../support/catalogue.ts'

test('the operations of the bundled document have the shape that their handlers expect', async () => {
  expect(checkOperations(inputs.contract, await createBundledWorld())).toEqual([])
})
