import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { walk } from '../walk.ts'

/**
 * Puts right, in place, what authors of 3.1 documents write and do not mean. Today that is `nullable: true`, which 3.1
 * knows nothing of, so that a validator would refuse null: the schema comes to allow null, with a warning. A document
 * whose references were checked is wanted, and no reader of it yet.
 */
export function normalise(document: JsonObject, source: Source): Finding[] {
  const findings: Finding[] = []
  // Collected first: putting one right adds members that the walk would come across.
  const schemas = [...walk(document)].filter(({ kind, value }) => kind === 'schema' && 'nullable' in value)
  for (const { pointer, value } of schemas) {
    const meant = value.nullable === true
    delete value.nullable
    if (!meant) continue
    allowNull(value)
    findings.push({
      severity: 'warning',
      place: source.place(`${pointer}/nullable`),
      message: `"nullable: true" means nothing in OpenAPI 3.1; read as if null were allowed. Write "type: [${typeNames(value)}]" instead`,
    })
  }
  return findings
}

function allowNull(schema: JsonObject): void {
  const { $ref, allOf, anyOf, oneOf, const: constant } = schema
  if ([$ref, allOf, anyOf, oneOf].some((member) => member !== undefined)) {
    allowNullBeside(schema)
    return
  }
  if (typeof schema.type === 'string') schema.type = [schema.type]
  if (Array.isArray(schema.type) && !schema.type.includes('null')) schema.type = [...schema.type, 'null']
  if (constant !== undefined) {
    schema.enum = [constant]
    delete schema.const
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null]
}

/** Where null is refused by what a reference or a combination leads to, only an alternative can allow it. */
function allowNullBeside(schema: JsonObject): void {
  const moved: JsonObject = {}
  for (const [name, member] of Object.entries(schema)) {
    moved[name] = member
    delete schema[name]
  }
  schema.anyOf = [moved, { type: 'null' }]
}

/** What to write, for the sentence: `string, 'null'`. */
function typeNames(schema: JsonObject): string {
  const types: Json[] = Array.isArray(schema.type) ? schema.type : ['...', 'null']
  return types.map((type) => (type === 'null' ? "'null'" : isObject(type) ? '...' : String(type))).join(', ')
}
