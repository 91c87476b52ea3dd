import { precompiled } from './precompiled.ts'
import type { PublishedSchema, SchemaCheck } from './schema.ts'
import { toViolations } from './violations.ts'

/** Returns the check of a published schema: precompiled, or of `compileSchema`, which takes a tenth of a second. */
export async function loadSchema({ schema, name, definitions }: PublishedSchema): Promise<SchemaCheck> {
  const validators = precompiled.schemas[name]
  if (validators === undefined) return (await import('./schema.ts')).compileSchema(schema, name, definitions)
  return (value, definition = '') => {
    const validate = validators[definition]
    if (validate === undefined) throw new Error(`the schema of ${name} has no definition ${definition}`)
    return validate(value) ? [] : toViolations(validate.errors, 'body')
  }
}
