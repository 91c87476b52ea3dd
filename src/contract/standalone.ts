import { _, type CodeOptions } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import type { Compiled } from './ajv-compiler.ts'

/** How ajv has to write its functions so that `moduleOf` can keep them. */
export const STANDALONE_OPTIONS: CodeOptions = { source: true, esm: true, formats: _`FORMATS` }

/** Where a kept function finds what it does not bring along, from this folder. */
const IMPORTS = `import { fullFormats } from 'ajv-formats/dist/formats.js'
import { OWN_FORMATS } from '../documents/formats.ts'
const FORMATS = { ...fullFormats, ...OWN_FORMATS }
`

/** A module, to be bundled as if it stood in this folder, whose `validators` are those that ajv has made, by their keys. */
export function moduleOf({ ajv, names }: Compiled): string {
  const keys = [...names.keys()]
  const exported = Object.fromEntries(keys.map((key, index) => [`v${index}`, names.get(key) ?? '']))
  const table = keys.map((key, index) => `${JSON.stringify(key)}: v${index}`)
  // ajv writes "use strict" first, which a module is by itself.
  const code = standaloneCode.default(ajv, exported).replace(/^"use strict";/, '')
  return `${IMPORTS}${code}\nexport const validators = { ${table.join(', ')} }\n`
}
