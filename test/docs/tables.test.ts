import { expect, test } from 'vitest'
import { readPages } from '../support/doc-pages.ts'
import { docTables, findTables, insertTables } from '../support/doc-tables.ts'

const tables = docTables()
const pages = readPages()

test.each(pages)('the generated tables in $path match the code', ({ text }) => {
  expect(text).not.toMatch(/e\.g\. \|/)
  const advice = 'the tables differ from the code; to regenerate them, run: npm run readme'
  expect(insertTables(text, tables), advice).toBe(text)
})

test('each generated table is on exactly one page', () => {
  expect(pages.flatMap(({ text }) => findTables(text)).sort()).toEqual(Object.keys(tables).sort())
})
