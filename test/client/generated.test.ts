import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientNamesText, generatedFiles, typedDocuments, typesHeading } from '../support/generated.ts'

test('the names in the typed client match the contract, the catalogue and the fixtures', async () => {
  expect(await readFile(generatedFiles.clientNames, 'utf8'), 'run `npm run generate`').toBe(clientNamesText())
})

test.each(typedDocuments)('the types for $document are generated from its current text', async ({ document, file }) => {
  expect((await readFile(file, 'utf8')).startsWith(await typesHeading(document)), 'run `npm run generate`').toBe(true)
})
