import type { CodeOptions, Options } from 'ajv'
import type { JsonObject } from '../../base/core/json.ts'
import { reasonOf } from '../../base/core/result.ts'
import { createAjv, type Validator } from '../../base/documents/ajv.ts'
import type { Finding } from '../../base/documents/finding.ts'
import type { CompiledSchemas } from '../../base/documents/schema.ts'
import type { Source } from '../../base/documents/source.ts'
import { placeFaults } from './checks/fault.ts'
import { checkSchemas } from './checks/schemas.ts'
import {
  type Compiler,
  DOCUMENT,
  keyOfParameters,
  responseRef,
  SIMULATED,
  schemaRef,
  simulatedRef,
} from './compiler.ts'
import { limitTime, mayTakeLong } from './limit-time.ts'
import { withoutRequired } from './request/without-required.ts'
import { applySimulatedValues } from './simulated-values.ts'
import { mapNodes, type NodeKind, walk } from './walk.ts'

/**
 * Creates a compiler that uses ajv. The build can write its schemas to a file, which are in `compiled`: those of
 * `getValidator` and `getParameterValidator`, and those for responses and with simulated values if they differ.
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
    // ajv repeats its messages about a shared schema for each schema that refers to it; `checkSchemas` names keywords.
    if (reported.has(message) || message.startsWith('strict mode: unknown keyword')) return
    reported.add(message)
    findings.push({ severity, place: source.place(currentPointer), message })
  }
  // Smaller code, as in `compilePublished`.
  const options = { messages: false, loopRequired: 1, ownProperties: namesInherited(document), code }
  const create = (root: JsonObject, uri: string, more: Options, warn: (message: string) => void = () => undefined) => {
    const ajv = createAjv(warn, { ...options, ...more }).addSchema(withoutData('document', root), uri)
    return { ajv, names: new Map<string, string>() }
  }
  const [request, response] = [withoutRequired(document, 'readOnly'), withoutRequired(document, 'writeOnly')]
  const warn = (message: string) => report('warning', message)
  const plain = create(request, DOCUMENT, {}, warn)
  // Two warn of nothing, since the others compile the same schemas and warn of them.
  const filling = create(request, DOCUMENT, { strict: false, useDefaults: true })
  const responses = request === response ? undefined : create(response, DOCUMENT, {}, warn)
  const narrowed = applySimulatedValues(response, 'document')
  const narrow = narrowed && create(narrowed, SIMULATED, { strict: false })
  if (meta) findings.push(...placeFaults(checkSchemas(document, plain.ajv), source))
  for (const { kind, value } of walk(document)) {
    // ajv throws for a format that it does not know.
    if (kind === 'schema' && typeof value.format === 'string') plain.ajv.formats[value.format] ??= true
  }
  const hasErrors = findings.some(({ severity }) => severity === 'error')
  const isTimed = mayTakeLong(document)
  const tryCompile = (pointer: string, instance: typeof plain, name: string, key = name): Validator | undefined => {
    currentPointer = pointer
    instance.names.set(key, name)
    try {
      const validate = instance.ajv.getSchema(name) as Validator | undefined
      return validate && isTimed ? limitTime(validate) : validate
    } catch (error) {
      // The cause of a failed compilation is among the errors that are reported already, if there are any.
      if (!hasErrors) report('error', `cannot be compiled: ${reasonOf(error)}`)
      return undefined
    }
  }
  const getValidator = (pointer: string) => tryCompile(pointer, plain, schemaRef(pointer))
  const getResponseValidator = (pointer: string) =>
    responses ? tryCompile(pointer, responses, schemaRef(pointer), responseRef(pointer)) : getValidator(pointer)
  return {
    lazy: false,
    getValidator,
    getResponseValidator,
    getSimulatedValidator: (pointer) =>
      narrow ? tryCompile(pointer, narrow, simulatedRef(pointer)) : getResponseValidator(pointer),
    getParameterValidator(schema, pointer) {
      const key = keyOfParameters(schema)
      const name = filling.names.get(key) ?? `parameters-${filling.names.size}`
      if (!filling.names.has(key)) filling.ajv.addSchema(schema, name)
      return tryCompile(pointer, filling, name, key)
    },
    findings,
    compiled: [plain, filling, responses, narrow].filter((one) => one !== undefined),
  }
}

/**
 * Returns a copy without what is no schema and no keyword, since ajv takes each `$id` and `$anchor` for one. Each
 * schema has the dialect of the document.
 */
export function withoutData(kind: NodeKind, value: JsonObject): JsonObject {
  const isKept = (name: string) => kind === 'schema' && !['$schema', 'example', 'examples'].includes(name)
  return mapNodes(kind, value, withoutData, (data, name) =>
    name === '$ref' || (isKept(name) && !name.startsWith('x-')) ? data : undefined,
  )
}

/** Returns true for a document with a name that every object inherits, whose validators look at own properties only. */
function namesInherited(document: JsonObject): boolean {
  const text = JSON.stringify(document)
  return Object.getOwnPropertyNames(Object.prototype).some((name) => text.includes(`"${name}"`))
}
