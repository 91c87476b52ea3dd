import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { _, type CodeOptions } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { isObject } from '../base/core/json.ts'
import type { Result } from '../base/core/result.ts'
import type { Findings } from '../base/documents/finding.ts'
import { computeDigest, readSource } from '../base/documents/read-source.ts'
import { type CompiledSchemas, compilePublished } from '../base/documents/schema.ts'
import type { Source } from '../base/documents/source.ts'
import { createAjvCompiler } from '../service/contract/ajv-compiler.ts'
import { buildContract } from '../service/contract/load.ts'
import { compileOperations } from '../service/contract/operation.ts'
import { bundledContract, bundledFixtures, controlContract } from '../service/fixtures/bundled.ts'
import { FIXTURE_FILES } from '../service/fixtures/fixture-files.ts'
import { loadFixtures } from '../service/fixtures/fixtures.ts'
import { stateSchema } from '../state/file/state-document.ts'
import { exportSchema } from '../state/sandbox-export.ts'

/**
 * Precompiles the bundled files: reads and checks them as a start does, and returns the texts of modules with their
 * values and with ajv's generated validators, by name. The module `main` replaces `documents/precompiled.ts` in
 * `dist/`; one imports another as `precompiled:name`.
 * @throws if a bundled file has findings
 */
export async function precompile(): Promise<ReadonlyMap<string, string>> {
  const compiledSchemas: CompiledSchemas[] = []
  /** Adds compiled schemas, and returns the name of their validators in `main`. */
  const addSchemas = (compiled: CompiledSchemas) => `v${compiledSchemas.push(compiled) - 1}`
  const entries: string[] = []
  // Only tests check the responses of the control plane, whose validators would be half a megabyte.
  for (const [file, hasResponseValidators] of [
    [bundledContract, true],
    [controlContract, false],
  ] as const) {
    const source = unwrap(await readSource(file))
    // buildContract runs all checks, and normalises the value of the source in place.
    const { warnings } = unwrap(await buildContract(source))
    if (warnings.length > 0) throw new Error(JSON.stringify(warnings))
    const validators = compileSchemas(source, hasResponseValidators).map((compiled) => `...${addSchemas(compiled)}`)
    entries.push(await writeEntry(source, `{ ${validators.join(', ')} }`, hasResponseValidators))
  }
  unwrap(await loadFixtures(bundledFixtures))
  for (const name of FIXTURE_FILES) {
    const source = unwrap(await readSource(join(bundledFixtures, `${name}.yaml`)))
    entries.push(await writeEntry(source, '{}', false))
  }
  const schemas = [exportSchema, stateSchema].map((schema) => {
    const validators = addSchemas(compilePublished(schema, STANDALONE_OPTIONS))
    return `${JSON.stringify(schema.name)}: ${validators}['']`
  })
  const imports = compiledSchemas.map((_, index) => `import { validators as v${index} } from 'precompiled:v${index}'`)
  const main = `${imports.join('\n')}
const sources = {\n${entries.join(',\n')}\n}
const schemas = { ${schemas.join(', ')} }
export const precompiled = { sources, schemas }
`
  return new Map([
    ['main', main],
    ...compiledSchemas.map((compiled, index) => [`v${index}`, generateModule(compiled)] as const),
  ])
}

async function writeEntry({ file, value }: Source, validators: string, hasResponseValidators: boolean) {
  const digest = JSON.stringify(computeDigest(await readFile(file)))
  const json = JSON.stringify(JSON.stringify(value))
  const fields = `json: ${json}, hasResponseValidators: ${hasResponseValidators}`
  return `${digest}: { ${fields}, validators: ${validators} }`
}

/** Compiles the schemas that a start would compile. */
function compileSchemas(source: Source, hasResponseValidators: boolean): readonly CompiledSchemas[] {
  if (!isObject(source.value)) throw new Error(`${source.file} is not a document`)
  const compiler = createAjvCompiler(source.value, source, { meta: false, code: STANDALONE_OPTIONS })
  compileOperations(source.value, compiler, hasResponseValidators)
  return compiler.compiled
}

function unwrap<T>(result: Result<T, Findings>): T {
  if (result.ok) return result.value
  throw new Error(result.error.map(({ place, message }) => `${place}: ${message}`).join('\n'))
}

/** The options of ajv whose generated code `generateModule` can use. */
const STANDALONE_OPTIONS: CodeOptions = { source: true, esm: true, formats: _`FORMATS` }

/** The beginning of a generated module: the formats that its validators use. The paths are relative to `documents/`. */
const IMPORTS = `import { fullFormats } from 'ajv-formats/dist/formats.js'
import { OWN_FORMATS } from '../../base/documents/formats.ts'
const FORMATS = { ...fullFormats, ...OWN_FORMATS }
`

/** Returns the text of a module that exports `validators`, ajv's functions by their keys, to be bundled. */
function generateModule({ ajv, names }: CompiledSchemas): string {
  const keys = [...names.keys()]
  const exported = Object.fromEntries(keys.map((key, index) => [`v${index}`, names.get(key) ?? '']))
  const table = keys.map((key, index) => `${JSON.stringify(key)}: v${index}`)
  // ajv begins with "use strict", which is the default of a module.
  const code = standaloneCode.default(ajv, exported).replace(/^"use strict";/, '')
  return `${IMPORTS}${code}\nexport const validators = { ${table.join(', ')} }\n`
}
