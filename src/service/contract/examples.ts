import { isObject, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import type { Example } from './contract.ts'
import { resolve } from './resolve.ts'

/**
 * Returns the examples of a media type, a parameter or a header in the document's order; a single one has the name
 * `example`. Each has the pointer of its value, not of a reference to it. An example in another file (`externalValue`)
 * is left out.
 */
export function readExamples(document: JsonObject, pointer: string): (Example & { readonly pointer: string })[] {
  const owner = resolve(document, pointer)
  if (owner === undefined) return []
  const single = owner.value.example
  if (single !== undefined) return [{ name: 'example', value: single, pointer: joinPointer(owner.pointer, 'example') }]
  if (!isObject(owner.value.examples)) return []
  return Object.keys(owner.value.examples).flatMap((name) => {
    const example = resolve(document, joinPointer(owner.pointer, 'examples', name))
    if (example === undefined) return []
    const member = example.value.value === undefined ? 'dataValue' : 'value' // OpenAPI 3.2 has both
    const value = example.value[member]
    return value === undefined ? [] : [{ name, value, pointer: joinPointer(example.pointer, member) }]
  })
}
