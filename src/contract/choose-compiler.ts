import type { JsonObject } from '../core/json.ts'
import type { PrecompiledSource } from '../documents/precompiled.ts'
import type { Source } from '../documents/source.ts'
import { type Compiler, keyOfParameters, schemaRef, simulatedRef } from './compiler.ts'

/**
 * Returns a compiler that looks up the precompiled validators of a source; for any other source, a compiler that uses ajv. ajv takes
 * 100 ms to load, so only this function loads it.
 * @param options `meta: false` leaves out `checkSchemas`, for a document that is known to pass it
 */
export async function chooseCompiler(
  document: JsonObject,
  source: Source,
  options: { meta: boolean },
): Promise<Compiler> {
  if (source.precompiled) return createPrecompiledCompiler(source.precompiled)
  const { createAjvCompiler } = await import('./ajv-compiler.ts')
  return createAjvCompiler(document, source, options)
}

/** Creates a compiler that compiles nothing. It has no findings, because the build refuses documents with findings. */
function createPrecompiledCompiler({ validators }: PrecompiledSource): Compiler {
  const find = (key: string) => {
    const validator = validators[key]
    if (validator === undefined) throw new Error(`the build has not precompiled the validator of ${key}`)
    return validator
  }
  return {
    lazy: true,
    getValidator: (pointer) => find(schemaRef(pointer)),
    // A document without simulated values has no validators for them.
    getSimulatedValidator: (pointer) => validators[simulatedRef(pointer)] ?? find(schemaRef(pointer)),
    getParameterValidator: (schema) => find(keyOfParameters(schema)),
    findings: [],
  }
}
