import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { insertTables, readmeTables } from './support/readme-tables.ts'

test('the tables of the README say what the code says (npm run readme writes them)', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  expect(insertTables(readme, await readmeTables())).toBe(readme)
})
