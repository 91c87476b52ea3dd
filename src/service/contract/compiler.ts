import type { JsonObject } from '../../base/core/json.ts'
import { toFragment } from '../../base/core/json-pointer.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import type { PrecompiledSource } from '../../base/documents/precompiled.ts'

/** Gives the validators of a document's schemas. */
export interface Compiler {
  /** True if an operation gets its validators when first used; false if at load, for checks and for the build. */
  readonly lazy: boolean
  /** Returns the validator of the schema at a pointer for requests, which need no `readOnly` properties. */
  getValidator(pointer: string): Validator
  /** Returns the validator of the schema at a pointer for responses, which need no `writeOnly` properties. */
  getResponseValidator(pointer: string): Validator
  getSimulatedValidator(pointer: string): Validator
  /** Returns the validator of an object of parameters or of a form, which fills in defaults in that object. */
  getParameterValidator(schema: JsonObject, pointer: string): Validator
}

/** The URI of the document for ajv, so that schemas can refer to each other and to themselves. */
export const DOCUMENT = 'contract'

/** Returns a reference to a schema, also the key of its precompiled validator: `contract#/components/schemas/Error`. */
export const schemaRef = (pointer: string) => DOCUMENT + toFragment(pointer)

export const SIMULATED = 'simulated'

/** Returns a reference to a schema with its simulated values, also the key of its precompiled validator. */
export const simulatedRef = (pointer: string) => SIMULATED + toFragment(pointer)

/** Returns the key of a schema's precompiled validator for responses. */
export const responseRef = (pointer: string) => `responses${toFragment(pointer)}`

export const keyOfParameters = (schema: JsonObject) => JSON.stringify(schema)

/** Creates a compiler that compiles nothing. */
export function createPrecompiledCompiler({ validators }: PrecompiledSource): Compiler {
  const find = (key: string) => {
    const validator = validators[key]
    if (validator === undefined) throw new Error(`the build has not precompiled the validator of ${key}`)
    return validator
  }
  const getResponseValidator = (pointer: string) => validators[responseRef(pointer)] ?? find(schemaRef(pointer))
  return {
    lazy: true,
    getValidator: (pointer) => find(schemaRef(pointer)),
    getResponseValidator,
    // A document without simulated values has no validators for them.
    getSimulatedValidator: (pointer) => validators[simulatedRef(pointer)] ?? getResponseValidator(pointer),
    getParameterValidator: (schema) => find(keyOfParameters(schema)),
  }
}
