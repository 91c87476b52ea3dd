import { _, type CodeOptions } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import type { CompiledSchemas } from '../../base/documents/schema.ts'

/** The options of ajv whose generated code `writeValidators` can use. */
export const STANDALONE_OPTIONS: CodeOptions = { source: true, formats: _`FORMATS` }

/** Returns an expression in JavaScript for ajv's functions by their keys, to be bundled. */
export function writeValidators({ ajv, names }: CompiledSchemas): string {
  const keys = [...names.keys()]
  const exported = Object.fromEntries(keys.map((key, index) => [`v${index}`, names.get(key) ?? '']))
  const table = keys.map((key, index) => `${JSON.stringify(key)}: exports.v${index}`)
  return `((exports) => { ${standaloneCode.default(ajv, exported)}\nreturn { ${table.join()} } })({})`
}
