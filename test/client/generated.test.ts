import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientNamesText, controlTypesHeading, generatedFiles, operationIdsText } from '../support/generated.ts'

test('the names of the typed client are those of the contract, the catalogue and the fixtures', async () => {
  expect(await readFile(generatedFiles.clientNames, 'utf8'), 'run `npm run generate`').toBe(clientNamesText())
})

test('the types of the control plane are generated from its present document', async () => {
  const text = await readFile(generatedFiles.controlTypes, 'utf8')
  expect(text.startsWith(await controlTypesHeading()), 'run `npm run generate`').toBe(true)
})

test('the union of operation ids agrees with the control document', async () => {
  expect(await readFile(generatedFiles.operationIds, 'utf8'), 'run `npm run generate`').toBe(await operationIdsText())
})
