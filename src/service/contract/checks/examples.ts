import type { JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../../base/core/json-pointer.ts'
import { toViolations } from '../../../base/documents/violations.ts'
import type { Compiler } from '../compiler.ts'
import { isJson } from '../media-types.ts'
import { readExamples, resolveSchema } from '../resolve.ts'
import { type DocumentNode, walk } from '../walk.ts'
import { type DocumentFault, warning } from './fault.ts'

/** Warns of every example that breaks the schema beside it, because clients are written after the examples. */
export function checkExamples(document: JsonObject, compiler: Compiler): DocumentFault[] {
  return [...walk(document)].filter(hasJsonExamples).flatMap((node) => {
    const schema = resolveSchema(document, joinPointer(node.pointer, 'schema'))
    if (schema === undefined) return []
    const isResponse = node.pointer.includes('/responses/') || node.kind === 'header'
    const validate = compiler.getValidator(schema.pointer, isResponse ? 'response' : 'request')
    return readExamples(document, node.pointer).flatMap((example) => {
      if (validate(example.value)) return []
      return toViolations(validate.errors, 'body', example.pointer).map(({ pointer, message }) => {
        const member = pointer.slice(example.pointer.length) || 'it'
        return warning(pointer, `the example "${example.name}" does not fit its schema: ${member} ${message}`)
      })
    })
  })
}

/** Returns true for a node whose examples are JSON values; examples of `text/csv` or of a form have another syntax. */
function hasJsonExamples({ kind, pointer, value }: DocumentNode): boolean {
  if (value.$ref !== undefined) return false
  if (kind === 'mediaType') return isJson(parsePointer(pointer).at(-1) ?? '')
  return kind === 'parameter' || kind === 'header'
}
