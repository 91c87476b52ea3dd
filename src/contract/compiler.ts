import type { JsonObject } from '../core/json.ts'
import { toFragment } from '../core/json-pointer.ts'
import type { Validator } from '../documents/ajv.ts'
import type { Finding } from '../documents/finding.ts'

/** Makes validators of the schemas of one document. What comes out only runs. */
export interface Compiler {
  /** Whether it may be asked when an operation is first used, and not at load: it has nothing to find. */
  readonly lazy: boolean
  /** The validator of the schema at this pointer, for JSON as it stands: nothing is coerced or filled in. */
  at(pointer: string): Validator | undefined
  /** The validator of an object of parameters; it types texts and fills in defaults in the object itself. */
  parameters(schema: JsonObject, pointer: string): Validator | undefined
  /** What was found while compiling, each once. */
  readonly findings: readonly Finding[]
}

/** The name under which the document is known, so that schemas can refer to each other, and to themselves. */
export const DOCUMENT = 'contract'

/** A reference to a schema of the document, for `parameters`; also what its validator is called where it is precompiled. */
export function schemaRef(pointer: string): string {
  return DOCUMENT + toFragment(pointer)
}

/** What a validator of `parameters` is called where it is precompiled. */
export function keyOfParameters(schema: JsonObject): string {
  return JSON.stringify(schema)
}
