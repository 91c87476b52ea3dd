import { precompiled } from './precompiled.ts'
import type { PublishedSchema, SchemaCheck } from './schema.ts'
import { toViolations } from './violations.ts'

/** Returns a check against a published schema. Compiling a schema that is not precompiled takes about 0.1 s. */
export async function loadSchema(published: PublishedSchema): Promise<SchemaCheck> {
  const known = precompiled.schemas[published.name]
  const validate = known ?? (await import('./schema.ts')).compileSchema(published).ajv.getSchema('published')
  return (value) => (validate?.(value) ? [] : toViolations(validate?.errors, 'body'))
}
