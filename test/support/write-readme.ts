import { writeFile } from 'node:fs/promises'
import { readPages } from './doc-pages.ts'
import { docTables, insertTables } from './doc-tables.ts'

const tables = docTables()
for (const { path, text } of readPages()) {
  const updated = insertTables(text, tables)
  if (updated !== text) await writeFile(new URL(`../../${path}`, import.meta.url), updated)
}
