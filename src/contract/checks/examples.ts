import { isObject, type JsonObject } from '../../core/json.ts'
import { below, tokensOf } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { toViolations } from '../../documents/violations.ts'
import type { Compiler } from '../compiler.ts'
import type { Example } from '../contract.ts'
import { isJson } from '../media-types.ts'
import { type DocumentNode, walk } from '../walk.ts'
import { resolve } from './references.ts'

interface PlacedExample extends Example {
  /** Of the value itself, references followed. */
  readonly pointer: string
}

/**
 * The examples of a media type, a parameter or a header, in the document's order: those with names, or a single one, which
 * is called `example`. One that lives elsewhere (`externalValue`) is not followed.
 */
export function examplesOf(document: JsonObject, pointer: string): PlacedExample[] {
  const owner = resolve(document, pointer)
  if (owner === undefined) return []
  const single = owner.value.example
  if (single !== undefined)
    return [{ name: 'example', value: single, pointer: below(owner.pointer, 'example') }]
  if (!isObject(owner.value.examples)) return []
  return Object.keys(owner.value.examples).flatMap((name) => {
    const example = resolve(document, below(owner.pointer, 'examples', name))
    const value = example?.value.value
    if (example === undefined || value === undefined) return []
    return [{ name, value, pointer: below(example.pointer, 'value') }]
  })
}

/** Checks every example against the schema beside it. A document whose examples are wrong teaches wrong clients. */
export function checkExamples(document: JsonObject, compiler: Compiler, source: Source): Finding[] {
  return [...walk(document)].filter(holdsExamples).flatMap((node) => {
    const schema = resolve(document, below(node.pointer, 'schema'))
    const validate = schema && compiler.at(schema.pointer)
    if (validate === undefined) return []
    return examplesOf(document, node.pointer).flatMap((example) => {
      if (validate(example.value)) return []
      return toViolations(validate.errors, 'body', example.pointer).map((violation): Finding => {
        const within = violation.pointer.slice(example.pointer.length) || 'it'
        const message = `the example "${example.name}" does not fit its schema: ${within} ${violation.message}`
        return { severity: 'error', place: source.place(violation.pointer), message }
      })
    })
  })
}

/** Only examples of JSON are values; one of `text/csv` or a form is written in its own way. */
function holdsExamples({ kind, pointer, value }: DocumentNode): boolean {
  if (value.$ref !== undefined) return false
  if (kind === 'mediaType') return isJson(tokensOf(pointer).at(-1) ?? '')
  return kind === 'parameter' || kind === 'header'
}
