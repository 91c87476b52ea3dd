import type { JsonObject } from '../../base/core/json.ts'
import { toFragment } from '../../base/core/json-pointer.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import type { Finding } from '../../base/documents/finding.ts'

/** Gives the validators of a document's schemas. A schema that cannot be compiled is a finding without validator. */
export interface Compiler {
  /** Is true if an operation gets its validators when first used, false if at load, which then reports the findings. */
  readonly lazy: boolean
  /** Returns the validator of the schema at a pointer. It coerces no value, and fills in no default. */
  getValidator(pointer: string): Validator | undefined
  /** Returns that validator with the simulated values, which the simulator's own responses keep. */
  getSimulatedValidator(pointer: string): Validator | undefined
  /** Returns the validator of an object of parameters, which coerces texts and fills in defaults in that object. */
  getParameterValidator(schema: JsonObject, pointer: string): Validator | undefined
  /** The findings of all compilations so far, without repetitions. */
  readonly findings: readonly Finding[]
}

/** The URI of the document for ajv, so that schemas can refer to each other and to themselves. */
export const DOCUMENT = 'contract'

/** Returns a reference to a schema, also the key of its precompiled validator: `contract#/components/schemas/Error`. */
export function schemaRef(pointer: string): string {
  return DOCUMENT + toFragment(pointer)
}

/** The URI of the document with its simulated values demanded. */
export const SIMULATED = 'simulated'

/** Returns a reference to a schema with its simulated values, also the key of its precompiled validator. */
export function simulatedRef(pointer: string): string {
  return SIMULATED + toFragment(pointer)
}

/** Returns the key of the precompiled validator of an object of parameters. */
export function keyOfParameters(schema: JsonObject): string {
  return JSON.stringify(schema)
}
