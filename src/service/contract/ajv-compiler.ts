import type { CodeOptions } from 'ajv'
import type { JsonObject } from '../../base/core/json.ts'
import { reasonOf } from '../../base/core/result.ts'
import { createAjv, type Validator } from '../../base/documents/ajv.ts'
import type { Finding } from '../../base/documents/finding.ts'
import type { CompiledSchemas } from '../../base/documents/schema.ts'
import type { Source } from '../../base/documents/source.ts'
import { placeFaults } from './checks/fault.ts'
import { hasCostlyPattern } from './checks/patterns.ts'
import { allowUnknownKeywords, checkSchemas } from './checks/schemas.ts'
import { type Compiler, DOCUMENT, keyOfParameters, SIMULATED, schemaRef, simulatedRef } from './compiler.ts'
import { hasRecursiveSchema, limitTime } from './limit-time.ts'
import { applySimulatedValues } from './simulated-values.ts'
import { mapNodes, type NodeKind } from './walk.ts'

/**
 * Creates a compiler that uses ajv. The build can write its schemas to a file, which are in `compiled`: those of
 * `getValidator` and `getParameterValidator`, and those with simulated values if there are any.
 * @param options `meta: false` leaves out `checkSchemas`; `code` has ajv's options for the code that the build writes
 */
export function createAjvCompiler(
  document: JsonObject,
  source: Source,
  { meta, code = {} }: { readonly meta: boolean; readonly code?: CodeOptions },
): Compiler & { readonly compiled: readonly CompiledSchemas[] } {
  const findings: Finding[] = []
  const reported = new Set<string>()
  let currentPointer = ''
  const report = (severity: Finding['severity'], message: string) => {
    // ajv repeats its messages about a shared schema for each schema that refers to it.
    if (reported.has(message)) return
    reported.add(message)
    findings.push({ severity, place: source.place(currentPointer), message })
  }
  // Smaller code, as in `compilePublished`.
  const ownProperties = namesInherited(document)
  const options = { messages: false, loopRequired: 1, ownProperties, code: { ...code } }
  const ajv = createAjv((message) => report('warning', message), options)
  // The others warn of nothing, since the first instance compiles the same schemas and warns of them.
  const quiet = { ...options, strict: false } as const
  const coercingAjv = createAjv(() => undefined, { ...quiet, coerceTypes: true, useDefaults: true })
  const narrowed = applySimulatedValues(document, 'document')
  const narrowAjv =
    narrowed && createAjv(() => undefined, quiet).addSchema(withoutData('document', narrowed), SIMULATED)
  if (meta) findings.push(...placeFaults(checkSchemas(document, ajv), source))
  allowUnknownKeywords(document, ajv)
  const schemas = withoutData('document', document)
  ajv.addSchema(schemas, DOCUMENT)
  coercingAjv.addSchema(schemas, DOCUMENT)
  const plain = { ajv, names: new Map<string, string>() }
  const coercing = { ajv: coercingAjv, names: new Map<string, string>() }
  const narrow = narrowAjv && { ajv: narrowAjv, names: new Map<string, string>() }
  const hasErrors = findings.some(({ severity }) => severity === 'error')
  const isCostly = hasCostlyPattern(document) || hasRecursiveSchema(document)
  const tryCompile = (pointer: string, instance: typeof plain, name: string, key = name): Validator | undefined => {
    currentPointer = pointer
    instance.names.set(key, name)
    try {
      const validate = instance.ajv.getSchema(name) as Validator | undefined
      return validate && isCostly ? limitTime(validate) : validate
    } catch (error) {
      // The cause of a failed compilation is among the errors that are reported already, if there are any.
      if (!hasErrors) report('error', `cannot be compiled: ${reasonOf(error)}`)
      return undefined
    }
  }
  const getValidator = (pointer: string) => tryCompile(pointer, plain, schemaRef(pointer))
  return {
    lazy: false,
    getValidator,
    getSimulatedValidator: (pointer) =>
      narrow ? tryCompile(pointer, narrow, simulatedRef(pointer)) : getValidator(pointer),
    getParameterValidator(schema, pointer) {
      const key = keyOfParameters(schema)
      const name = coercing.names.get(key) ?? `parameters-${coercing.names.size}`
      if (!coercing.names.has(key)) coercing.ajv.addSchema(schema, name)
      return tryCompile(pointer, coercing, name, key)
    },
    findings,
    compiled: narrow ? [plain, coercing, narrow] : [plain, coercing],
  }
}

/**
 * Returns a copy without what is no schema and no keyword, since ajv takes each `$id` and `$anchor` for one. Each
 * schema has the dialect of the document.
 */
function withoutData(kind: NodeKind, value: JsonObject): JsonObject {
  const isKept = (name: string) => kind === 'schema' && !['$schema', 'example', 'examples'].includes(name)
  return mapNodes(kind, value, withoutData, (data, name) =>
    name === '$ref' || (isKept(name) && !name.startsWith('x-')) ? data : undefined,
  )
}

/** The names that every object of JavaScript inherits, such as `constructor`, in quotes. */
const inherited = Object.getOwnPropertyNames(Object.prototype).map((name) => `"${name}"`)

/** Returns true for a document with such a name, whose validators look at own properties only, which costs time. */
function namesInherited(document: JsonObject): boolean {
  const text = JSON.stringify(document)
  return inherited.some((name) => text.includes(name))
}
