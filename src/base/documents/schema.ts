import type { CodeOptions } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject, Violation } from '../core/json.ts'
import { createAjv } from './ajv.ts'

export interface PublishedSchema {
  /** What the schema describes, such as `export`. Used in error messages and as the key of a precompiled validator. */
  readonly name: string
  readonly schema: JsonObject
}

export type SchemaCheck = (value: unknown) => Violation[]

export interface CompiledSchemas {
  readonly ajv: Ajv2020
  /** Maps the key of each precompiled validator to the name or URI of its schema in `ajv`. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Compiles a schema that convsim ships. Its key in `names` is `''`. The validator does not coerce values or fill in
 * defaults. Throws if the schema is invalid or ajv warns about it, since either is a bug.
 * @param code ajv's code generation options, set by the build
 */
export function compileSchema({ schema, name }: PublishedSchema, code: CodeOptions = {}): CompiledSchemas {
  const warnings: string[] = []
  // Two options make the code smaller: `toViolations` writes the messages, and a loop finds missing properties.
  const options = { validateSchema: true, messages: false, loopRequired: 1, code }
  const ajv = createAjv((message) => warnings.push(message), options).addSchema(schema, 'published')
  ajv.getSchema('published')
  if (warnings.length > 0) throw new Error(`the schema of ${name} causes warnings: ${warnings.join('; ')}`)
  return { ajv, names: new Map([['', 'published']]) }
}
