import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { insertTables, readmeTables } from './support/readme-tables.ts'

test('the tables of the README say what the code says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const advice = 'the code has changed; write the tables of the README anew: npm run readme'
  expect(insertTables(readme, await readmeTables()), advice).toBe(readme)
})
