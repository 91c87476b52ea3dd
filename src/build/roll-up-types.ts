/** This script rolls the declarations in `dist/types` up into one file, `dist/index.d.cts`, which has only what the library exports and what those exports need. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollUpDeclarations } from './declarations.ts'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const types = join(dist, 'types')
const text = rollUpDeclarations('index.d.ts', (file) => readFileSync(join(types, file), 'utf8'))
// `Symbol.asyncDispose` is in no library that TypeScript loads for a target up to ES2024.
writeFileSync(join(dist, 'index.d.cts'), `/// <reference lib="esnext.disposable" />\n${text}`)
rmSync(types, { recursive: true })
