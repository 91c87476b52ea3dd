import type { Json, JsonObject } from '../core/json.ts'
import { createAjv } from './ajv.ts'
import type { Violation } from './violation.ts'
import { toViolations } from './violations.ts'

/**
 * Compiles a schema of ours, for a file that others write (fixtures, rules, settings). Formats and sentences are those of
 * the contract; nothing is coerced, no default filled in.
 * @param name what the schema describes, for the message of the exception
 * @throws where the schema itself is at fault, or odd: it is ours, so that is a bug
 */
export function compileSchema(schema: JsonObject, name: string): (value: Json) => Violation[] {
  const odd: string[] = []
  const ajv = createAjv((message) => odd.push(message), { validateSchema: true, inlineRefs: true })
  const validate = ajv.compile(schema)
  if (odd.length > 0) throw new Error(`the schema of ${name} is odd: ${odd.join('; ')}`)
  return (value) => (validate(value) ? [] : toViolations(validate.errors, 'body'))
}
