import { _, type CodeOptions } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import type { CompiledSchemas } from '../../base/documents/schema.ts'

/** The options of ajv whose generated code `generateModule` can use. */
export const STANDALONE_OPTIONS: CodeOptions = { source: true, esm: true, formats: _`FORMATS` }

/** The beginning of a generated module: the formats that its validators use. The paths are relative to `documents/`. */
const IMPORTS = `import { fullFormats } from 'ajv-formats/dist/formats.js'
import { OWN_FORMATS } from '../../base/documents/formats.ts'
const FORMATS = { ...fullFormats, ...OWN_FORMATS }
`

/** Returns the text of a module that exports `validators`, ajv's functions by their keys, to be bundled. */
export function generateModule({ ajv, names }: CompiledSchemas): string {
  const keys = [...names.keys()]
  const exported = Object.fromEntries(keys.map((key, index) => [`v${index}`, names.get(key) ?? '']))
  const table = keys.map((key, index) => `${JSON.stringify(key)}: v${index}`)
  // ajv begins with "use strict", which is the default of a module.
  const code = standaloneCode.default(ajv, exported).replace(/^"use strict";/, '')
  return `${IMPORTS}${code}\nexport const validators = { ${table.join(', ')} }\n`
}
