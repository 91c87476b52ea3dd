import { precompiled } from './precompiled.ts'
import type { PublishedSchema, SchemaCheck } from './schema.ts'
import { toViolations } from './violations.ts'

/** Returns the check of a published schema: precompiled, or of `compileSchema`, which takes a tenth of a second. */
export async function loadSchema({ schema, name }: PublishedSchema): Promise<SchemaCheck> {
  const validate = precompiled.schemas[name]
  if (validate === undefined) return (await import('./schema.ts')).compileSchema(schema, name)
  return (value) => (validate(value) ? [] : toViolations(validate.errors, 'body'))
}
