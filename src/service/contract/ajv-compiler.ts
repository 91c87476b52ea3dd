import type { CodeOptions } from 'ajv'
import type { JsonObject } from '../../base/core/json.ts'
import { parseReference, toFragment, valueAt } from '../../base/core/json-pointer.ts'
import { limitTime } from '../../base/core/limit-time.ts'
import { once } from '../../base/core/memoize.ts'
import { reasonOf } from '../../base/core/result.ts'
import { createAjv, type Validator } from '../../base/documents/ajv.ts'
import type { CompiledSchemas } from '../../base/documents/schema.ts'
import { type DocumentFlaw, warning } from './checks/flaw.ts'
import { isChecked, parsePattern } from './checks/schemas.ts'
import { type Compiler, keyOf, type Use } from './compiler.ts'
import { Shape } from './request/shape.ts'
import { listSchemaParts } from './schema-parts.ts'
import { applySimulatedValues, simulatedValues } from './simulated-values.ts'
import { listSchemas, mapNodes, type NodeKind, walk } from './walk.ts'

/** The URI of the document in ajv, by which schemas in the document refer to each other. */
const DOCUMENT = 'contract'

/**
 * Creates a compiler that uses ajv. Each validator compiles its schema on its first call, and accepts every value if
 * compilation fails. The build can write the compiled schemas to a file.
 * @param options `lazy` is explained in `Compiler`; `code` contains ajv's options for the code that the build writes
 */
export function createAjvCompiler(
  document: JsonObject,
  { lazy, code }: { readonly lazy: boolean; readonly code?: CodeOptions },
): Compiler & { compileAll(): DocumentFlaw[]; isFormat(name: string): boolean; compiled: readonly CompiledSchemas[] } {
  const keywords = new Set(listSchemas(document).flatMap(({ value }) => Object.keys(value)))
  const documentWithout = (keyword: 'readOnly' | 'writeOnly') =>
    keywords.has(keyword) ? withoutRequired(document, keyword) : document
  const create = (use: Use, read: () => JsonObject) => {
    const ajv = once(() => createDocumentAjv(read(), code))
    return {
      use,
      names: new Map<string, string>(),
      get ajv() {
        return ajv()
      },
    }
  }
  const request = create('request', () => documentWithout('readOnly'))
  const hasOneWayProperties = keywords.has('readOnly') || keywords.has('writeOnly')
  const response = hasOneWayProperties ? create('response', () => documentWithout('writeOnly')) : request
  const readSimulated = () => applySimulatedValues(documentWithout('writeOnly'), 'document')
  const simulated = keywords.has(simulatedValues) ? create('simulated', readSimulated) : response
  const instances = { request, response, simulated }
  const validators = new Map<string, Validator>()
  const compilations: (() => { readonly flaw?: DocumentFlaw })[] = []

  const compile = ({ ajv }: CompiledSchemas, pointer: string) => {
    try {
      const validate = ajv.getSchema(DOCUMENT + toFragment(pointer)) as Validator | undefined
      return { validate: validate && mayTakeLong(document, pointer) ? limitTime(validate) : validate }
    } catch (error) {
      const message = `the schema cannot be compiled, so values are not checked against it: ${reasonOf(error)}`
      return { flaw: warning(pointer, message) }
    }
  }
  return {
    lazy,
    getValidator(pointer, use) {
      const instance = instances[use]
      const key = keyOf(pointer, instance.use)
      const cached = validators.get(key)
      if (cached) return cached
      const compileOnce = once(() => compile(instance, pointer))
      const validator: Validator = (value) => {
        const { validate } = compileOnce()
        const isValid = validate?.(value) ?? true
        validator.errors = validate?.errors ?? null
        return isValid
      }
      instance.names.set(key, DOCUMENT + toFragment(pointer))
      validators.set(key, validator)
      compilations.push(compileOnce)
      return validator
    },
    /** Compiles the validators requested so far. Returns a warning for each schema that cannot be compiled. */
    compileAll: () => compilations.flatMap((compileOnce) => compileOnce().flaw ?? []),
    isFormat: (name) => name in request.ajv.formats,
    compiled: [...new Set(Object.values(instances))],
  }
}

function createDocumentAjv(document: JsonObject, code: CodeOptions | undefined) {
  // Options for smaller code, as in `compileSchema`. `ownProperties` supports a property named `toString`.
  const options = { strict: false, messages: false, loopRequired: 1, ownProperties: code === undefined }
  const ajv = createAjv(() => undefined, { ...options, code: { regExp, ...code } })
  return ajv.addSchema(keepChecked('document', document), DOCUMENT)
}

/** Creates a compiler for schemas that refer to a document. It returns undefined for a schema that does not compile. */
export function createPartCompiler(document: JsonObject): (schema: JsonObject) => Validator | undefined {
  const ajv = createDocumentAjv(document, undefined)
  return (schema) => {
    const text = JSON.stringify(keepChecked('schema', schema)).replaceAll('"$ref":"#', `"$ref":"${DOCUMENT}#`)
    try {
      return limitTime(ajv.compile(JSON.parse(text)) as Validator)
    } catch {
      return undefined // `convsim check` reports the reason
    }
  }
}

/** Creates a regular expression with the flag that the pattern needs. Compiled files use `new RegExp` instead. */
const regExp = Object.assign((pattern: string) => parsePattern(pattern) ?? /(?:)/, { code: 'new RegExp' })

/** Returns a copy that keeps only references, the validation keywords of schemas, and the objects around them. */
function keepChecked(kind: NodeKind, value: JsonObject): JsonObject {
  if (kind !== 'schema') return mapNodes(kind, value, keepChecked, (data, name) => (name === '$ref' ? data : undefined))
  const entries = Object.entries(value).filter(([keyword, rule]) => isChecked(keyword, rule))
  return mapNodes(kind, Object.fromEntries(entries), keepChecked)
}

/**
 * Returns true if checking a value can be slow: the schema has patterns, or its references reach a schema twice.
 * References can be recursive or form a chain: 20 schemas, each with two references to the next, need a million checks.
 */
export function mayTakeLong(document: JsonObject, pointer: string): boolean {
  const visited = [pointer]
  // The loop also visits the pointers that it adds.
  for (const at of visited) {
    const schemas = Array.from(walk(valueAt(document, at), 'schema'), ({ value }) => value)
    if (schemas.some((schema) => 'pattern' in schema || 'patternProperties' in schema)) return true
    visited.push(...schemas.flatMap(({ $ref }) => parseReference(String($ref)) ?? []))
    if (new Set(visited).size < visited.length) return true
  }
  return false
}

/** Returns a copy of a document in which no schema requires its `readOnly` (or `writeOnly`) properties. */
export function withoutRequired(document: JsonObject, keyword: 'readOnly' | 'writeOnly'): JsonObject {
  const copy = structuredClone(document)
  for (const { value } of listSchemas(copy)) {
    const parts = listSchemaParts(value).filter(({ required }) => Array.isArray(required))
    const shape = parts.length > 0 ? new Shape(copy, [value]) : undefined
    for (const part of parts)
      part.required = [part.required ?? []].flat().filter((name) => !shape?.member(String(name)).has(keyword))
  }
  return copy
}
