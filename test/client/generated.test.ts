import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientNamesFile, clientNamesText } from '../support/client-names.ts'
import { controlTypesFile, controlTypesHeading } from '../support/control-types.ts'

test('the names of the typed client are those of the contract, the catalogue and the fixtures', async () => {
  expect(await readFile(clientNamesFile, 'utf8'), 'run `npm run generate`').toBe(clientNamesText())
})

test('the types of the control plane are generated from its present document', async () => {
  const text = await readFile(controlTypesFile, 'utf8')
  expect(text.startsWith(await controlTypesHeading()), 'run `npm run generate`').toBe(true)
})
