import { readFile, writeFile } from 'node:fs/promises'
import { insertTables, readmeTables } from './readme-tables.ts'

const file = new URL('../../README.md', import.meta.url)
await writeFile(file, insertTables(await readFile(file, 'utf8'), await readmeTables()))
