import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clientNamesFile, clientNamesText } from '../support/client-names.ts'

test('the names of the typed client are those of the contract, the catalogue and the fixtures (npm run generate writes them)', async () => {
  expect(await readFile(clientNamesFile, 'utf8')).toBe(clientNamesText())
})
