import type { CodeOptions } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../core/json.ts'
import { reasonOf } from '../core/result.ts'
import { createAjv, type Validator } from '../documents/ajv.ts'
import type { Finding } from '../documents/finding.ts'
import type { Source } from '../documents/source.ts'
import { hasCostlyPattern } from './checks/patterns.ts'
import { allowUnknownKeywords, checkSchemas } from './checks/schemas.ts'
import { type Compiler, DOCUMENT, keyOfParameters, schemaRef } from './compiler.ts'
import { limitTime } from './limit-time.ts'

/** An instance of ajv with the schemas that it has compiled. */
export interface CompiledSchemas {
  readonly ajv: Ajv2020
  /** The name of each schema in the instance, by the key that its precompiled validator gets. */
  readonly names: ReadonlyMap<string, string>
}

/** A compiler whose schemas the build can write to a file. */
export interface AjvCompiler extends Compiler {
  /** The schemas of `getValidator`, then those of `getParameterValidator`. */
  readonly compiled: readonly CompiledSchemas[]
}

/**
 * Creates a compiler that uses ajv.
 * @param options `meta: false` leaves out `checkSchemas`; `code` has ajv's options for generated code, for the build, which writes
 * that code to a file
 */
export function createAjvCompiler(
  document: JsonObject,
  source: Source,
  { meta, code = {} }: { readonly meta: boolean; readonly code?: CodeOptions },
): AjvCompiler {
  const findings: Finding[] = []
  const reported = new Set<string>()
  let currentPointer = ''
  const report = (severity: Finding['severity'], message: string) => {
    // ajv repeats its messages about a shared schema for each schema that refers to it.
    if (reported.has(message)) return
    reported.add(message)
    findings.push({ severity, place: source.place(currentPointer), message })
  }
  const warn = (message: string) => report('warning', message)
  const ajv = createAjv(warn, { code: { ...code } })
  // It warns of nothing, since the first instance compiles the same schemas and warns of them.
  const coercingAjv = createAjv(() => undefined, {
    strict: false,
    coerceTypes: true,
    useDefaults: true,
    code: { ...code },
  })
  if (meta) findings.push(...checkSchemas(document, source, ajv))
  allowUnknownKeywords(document, ajv)
  ajv.addSchema(document, DOCUMENT)
  coercingAjv.addSchema(document, DOCUMENT)
  const hasErrors = findings.some(({ severity }) => severity === 'error')

  const isCostly = hasCostlyPattern(document)

  const tryCompile = (pointer: string, compile: () => Validator | undefined) => {
    currentPointer = pointer
    try {
      const validate = compile()
      return validate && isCostly ? limitTime(validate) : validate
    } catch (error) {
      // The cause of a failed compilation is among the errors that are reported already, if there are any.
      if (!hasErrors) report('error', `cannot be compiled: ${reasonOf(error)}`)
      return undefined
    }
  }
  const validators = new Map<string, Validator | undefined>()
  const schemaNames = new Map<string, string>()
  const parameterNames = new Map<string, string>()
  return {
    lazy: false,
    getValidator(pointer) {
      if (!validators.has(pointer)) {
        schemaNames.set(schemaRef(pointer), schemaRef(pointer))
        validators.set(
          pointer,
          tryCompile(pointer, () => ajv.getSchema(schemaRef(pointer))),
        )
      }
      return validators.get(pointer)
    },
    getParameterValidator(schema, pointer) {
      const key = keyOfParameters(schema)
      const name = parameterNames.get(key) ?? `parameters-${parameterNames.size}`
      if (!parameterNames.has(key)) coercingAjv.addSchema(schema, name)
      parameterNames.set(key, name)
      return tryCompile(pointer, () => coercingAjv.getSchema(name))
    },
    findings,
    compiled: [
      { ajv, names: schemaNames },
      { ajv: coercingAjv, names: parameterNames },
    ],
  }
}
