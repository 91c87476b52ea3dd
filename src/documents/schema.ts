import type { Json, JsonObject } from '../core/json.ts'
import { createAjv } from './ajv.ts'
import type { Violation } from './violation.ts'
import { toViolations } from './violations.ts'

/**
 * Compiles one of our own schemas, for files that users write (fixtures, rules, settings). Formats and sentences are those
 * of the contract. The check changes nothing: no value is coerced, no default filled in.
 * @param name the subject of the schema, for the message of the exception: `the fixtures`
 * @throws if the schema is invalid or ajv warns about it, because a schema of ours is then a bug
 */
export function compileSchema(schema: JsonObject, name: string): (value: Json) => Violation[] {
  const warnings: string[] = []
  const ajv = createAjv((message) => warnings.push(message), { validateSchema: true, inlineRefs: true })
  const validate = ajv.compile(schema)
  if (warnings.length > 0) throw new Error(`the schema of ${name} causes warnings: ${warnings.join('; ')}`)
  return (value) => (validate(value) ? [] : toViolations(validate.errors, 'body'))
}
