import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { operationIdsFile, operationIdsText } from '../../support/operation-ids.ts'

test('the union of operation ids agrees with the control document (npm run generate writes it)', async () => {
  expect(await readFile(operationIdsFile, 'utf8')).toBe(await operationIdsText())
})
