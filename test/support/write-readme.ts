import { readFile, writeFile } from 'node:fs/promises'
import { readmeTables, withTables } from './readme-tables.ts'

const file = new URL('../../README.md', import.meta.url)
await writeFile(file, withTables(await readFile(file, 'utf8'), await readmeTables()))
