import type { CodeOptions } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../core/json.ts'
import type { Violation } from '../core/violation.ts'
import { createAjv } from './ajv.ts'

export interface PublishedSchema {
  /** The subject of the schema, for the exception's message and for the build, which can precompile it: `export`. */
  readonly name: string
  readonly schema: JsonObject
}

export type SchemaCheck = (value: unknown) => Violation[]

export interface CompiledSchemas {
  readonly ajv: Ajv2020
  /** The name of each schema in the instance, by the key that its precompiled validator gets. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Compiles one of our own schemas, for files that users write; its key is empty. The check coerces no value, and fills
 * in no default. Throws if the schema is invalid or ajv warns about it, because that is a bug.
 * @param code the form of ajv's functions, for the build
 */
export function compileSchema({ schema, name }: PublishedSchema, code: CodeOptions = {}): CompiledSchemas {
  const warnings: string[] = []
  // Smaller code: `toViolations` writes the sentences, and a loop finds the missing properties.
  const options = { validateSchema: true, messages: false, loopRequired: 1, code }
  const ajv = createAjv((message) => warnings.push(message), options).addSchema(schema, 'published')
  ajv.getSchema('published')
  if (warnings.length > 0) throw new Error(`the schema of ${name} causes warnings: ${warnings.join('; ')}`)
  return { ajv, names: new Map([['', 'published']]) }
}
