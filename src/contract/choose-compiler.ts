import type { JsonObject } from '../core/json.ts'
import type { PrecompiledSource } from '../documents/precompiled.ts'
import type { Source } from '../documents/source.ts'
import { type Compiler, keyOfParameters, schemaRef } from './compiler.ts'

/**
 * The validators that the build has precompiled, or else ajv, which is loaded only here: it costs a tenth of a second.
 * `meta: false` leaves out the check against the meta-schema, for a document that is known to pass it.
 */
export async function chooseCompiler(
  document: JsonObject,
  source: Source,
  options: { meta: boolean },
): Promise<Compiler> {
  if (source.precompiled) return createPrecompiledCompiler(source.precompiled)
  const { createCompiler } = await import('./ajv-compiler.ts')
  return createCompiler(document, source, options)
}

/** The build prepares only what it has nothing to say about. */
function createPrecompiledCompiler({ validators }: PrecompiledSource): Compiler {
  const find = (key: string) => {
    const validator = validators[key]
    if (validator === undefined) throw new Error(`the build has not precompiled the validator of ${key}`)
    return validator
  }
  return {
    lazy: true,
    at: (pointer) => find(schemaRef(pointer)),
    parameters: (schema) => find(keyOfParameters(schema)),
    findings: [],
  }
}
