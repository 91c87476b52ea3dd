import type { CodeOptions } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../core/json.ts'
import { createAjv } from './ajv.ts'
import type { Violation } from './violation.ts'
import { toViolations } from './violations.ts'

/** A published schema (`spec/*.schema.json`) with those of its definitions that values are checked against. */
export interface PublishedSchema {
  /** The subject of the schema, for the message of the exception, and for the build, which can precompile the schema: `state`. */
  readonly name: string
  readonly schema: JsonObject
  /** Names in `$defs`. */
  readonly definitions: readonly string[]
}

/** Checks a value against a schema, or against one of its definitions. */
export type SchemaCheck = (value: unknown, definition?: string) => Violation[]

/** The schemas of one ajv, with ajv's name of each definition by its name in `$defs`. The whole schema has an empty name. */
export interface CompiledDefinitions {
  readonly ajv: Ajv2020
  readonly names: ReadonlyMap<string, string>
}

/**
 * Compiles a schema of ours, for a file that others write (fixtures, rules, settings). Formats and sentences are those of
 * the contract; nothing is coerced, no default filled in.
 * @param name what the schema describes, for the message of the exception
 * @throws where the schema itself is at fault, or odd: it is ours, so that is a bug
 */
export function compileSchema(
  schema: JsonObject,
  name: string,
  definitions: readonly string[] = [],
): SchemaCheck {
  const { ajv, names } = compileDefinitions({ schema, name, definitions })
  return (value, definition = '') => {
    const validate = ajv.getSchema(names.get(definition) ?? '')
    if (validate === undefined) throw new Error(`the schema of ${name} has no definition ${definition}`)
    return validate(value) ? [] : toViolations(validate.errors, 'body')
  }
}

/** Compiles a schema and its definitions. `code` is the form in which ajv writes its functions, for the build. */
export function compileDefinitions(
  { schema, name, definitions }: PublishedSchema,
  code: CodeOptions = {},
): CompiledDefinitions {
  const odd: string[] = []
  // Smaller code: `toViolations` writes the sentences, and a loop finds the missing properties.
  const options = { validateSchema: true, messages: false, loopRequired: 1, code }
  const ajv = createAjv((message) => odd.push(message), options).addSchema(schema, 'published')
  const names = new Map([['', 'published']])
  for (const definition of definitions) names.set(definition, `published#/$defs/${definition}`)
  for (const each of names.values()) ajv.getSchema(each)
  if (odd.length > 0) throw new Error(`the schema of ${name} is odd: ${odd.join('; ')}`)
  return { ajv, names }
}
