/** This script rolls the declarations in `dist/types` up into one file for each module that users import, with only what it exports and what that needs. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { namesExportedBy, rollUpDeclarations } from './declarations.ts'
import { declarationsOf, testingModules } from './testing.ts'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const types = join(dist, 'types')
const read = (file: string) => readFileSync(join(types, file), 'utf8')

// `Symbol.asyncDispose` is in no library that TypeScript loads for a target up to ES2024.
const library = `/// <reference lib="esnext.disposable" />\n${rollUpDeclarations('index.d.ts', read)}`

const own = { module: './index.cjs', names: namesExportedBy('index.d.ts', read) }
for (const each of testingModules) {
  const text = rollUpDeclarations(
    `testing/${each.name}.d.ts`,
    read,
    { libraries: each.libraries, own },
    each.only,
  )
  writeFileSync(join(dist, declarationsOf(each)), text)
}
rmSync(types, { recursive: true })
writeFileSync(join(dist, 'index.d.cts'), library) // the last file of a build, by whose time `npm test` sees whether it is current
