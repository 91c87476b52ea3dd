import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { _, type CodeOptions } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import type { Result } from '../base/core/result.ts'
import { computeDigest, readSource } from '../base/documents/read-source.ts'
import { type CompiledSchemas, compileSchema } from '../base/documents/schema.ts'
import type { Findings, Source } from '../base/documents/source.ts'
import { createAjvCompiler } from '../service/contract/ajv-compiler.ts'
import { buildContract } from '../service/contract/load.ts'
import { compileOperations } from '../service/contract/operation.ts'
import { bundledContract, bundledFixtures, controlContract, FIXTURE_FILES } from '../service/fixtures/bundled.ts'
import { loadFixtures } from '../service/fixtures/fixtures.ts'
import { stateSchema } from '../state/file/state-document.ts'
import { exportSchema } from '../state/sandbox-export.ts'
import { root } from './modules.ts'

/**
 * Precompiles the bundled files. Reads and checks them, as startup would, and returns the code of a module with their
 * values and ajv's generated validators. The module replaces `base/documents/precompiled.ts` in `dist/`.
 * @throws if a bundled file has findings
 */
export async function precompile(): Promise<string> {
  // Only tests check the control plane's responses, and validators for these responses would add half a megabyte.
  const sources = [await precompileDocument(bundledContract, true), await precompileDocument(controlContract, false)]
  unwrap(await loadFixtures(bundledFixtures))
  const fixtures = FIXTURE_FILES.map((name) => readSource(join(bundledFixtures, `${name}.yaml`)))
  for (const source of await Promise.all(fixtures)) sources.push(await renderEntry(unwrap(source)))
  const schemas = [exportSchema, stateSchema].map(
    (schema) => `${schema.name}: ${renderValidators(compileSchema(schema, STANDALONE_OPTIONS))}['']`,
  )
  return `
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { OWN_FORMATS } from ${JSON.stringify(join(root, 'src/base/documents/formats.ts'))}
import { isMultiple } from ${JSON.stringify(join(root, 'src/base/core/decimal.ts'))}
const FORMATS = { ...fullFormats, ...OWN_FORMATS }
export const precompiled = { sources: { ${sources.join()} }, schemas: { ${schemas.join()} } }`
}

async function precompileDocument(file: string, hasResponseValidators: boolean): Promise<string> {
  const source = unwrap(await readSource(file))
  // Runs all checks, and normalizes the source's value in place.
  const { warnings, document } = unwrap(await buildContract(source, { thorough: true }))
  if (warnings.length > 0) throw new Error(JSON.stringify(warnings))
  const compiler = createAjvCompiler(document, { lazy: false, code: STANDALONE_OPTIONS })
  compileOperations(document, compiler, hasResponseValidators) // requests the validators that startup requests
  const [problem] = compiler.compileAll()
  if (problem) throw new Error(`${file}: ${problem.message}`)
  const validators = compiler.compiled.map((compiled) => `...${renderValidators(compiled)}`)
  return renderEntry(source, `{ ${validators.join()} }`, hasResponseValidators)
}

async function renderEntry({ file, value }: Source, validators = '{}', hasResponseValidators = false): Promise<string> {
  const digest = JSON.stringify(computeDigest(await readFile(file)))
  const json = JSON.stringify(JSON.stringify(value))
  return `${digest}: { json: ${json}, hasResponseValidators: ${hasResponseValidators}, validators: ${validators} }`
}

function unwrap<T>(result: Result<T, Findings>): T {
  if (result.ok) return result.value
  throw new Error(result.error.map(({ place, message }) => `${place}: ${message}`).join('\n'))
}

const STANDALONE_OPTIONS: CodeOptions = { source: true, formats: _`FORMATS` }

/** Returns a JavaScript expression for an object that maps keys to ajv's validators. */
function renderValidators({ ajv, names }: CompiledSchemas): string {
  const keys = [...names.keys()]
  const exported = Object.fromEntries(keys.map((key, index) => [`v${index}`, names.get(key) ?? '']))
  const table = keys.map((key, index) => `${JSON.stringify(key)}: exports.v${index}`)
  return `((exports) => { ${standaloneCode.default(ajv, exported)}\nreturn { ${table.join()} } })({})`
}
