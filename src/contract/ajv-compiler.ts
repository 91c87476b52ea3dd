import type { CodeOptions } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../core/json.ts'
import { createAjv, type Validator } from '../documents/ajv.ts'
import type { Finding } from '../documents/finding.ts'
import type { Source } from '../documents/source.ts'
import { allowUnknownKeywords, checkSchemas } from './checks/schemas.ts'
import { type Compiler, DOCUMENT, keyOfParameters, schemaRef } from './compiler.ts'

/** What ajv has compiled: the name that it knows each schema by, by the key under which it can be precompiled. */
export interface Compiled {
  readonly ajv: Ajv2020
  readonly names: ReadonlyMap<string, string>
}

/** A compiler whose work can be kept. */
export interface AjvCompiler extends Compiler {
  readonly compiled: readonly Compiled[]
}

/** Compiles with ajv. `code` is how ajv is to write its functions, for the build, which keeps what it writes. */
export function createCompiler(
  document: JsonObject,
  source: Source,
  { meta, code = {} }: { readonly meta: boolean; readonly code?: CodeOptions },
): AjvCompiler {
  const findings: Finding[] = []
  const said = new Set<string>()
  let current = ''
  const find = (severity: Finding['severity'], message: string) => {
    // A shared schema is met again through each of its users.
    if (said.has(message)) return
    said.add(message)
    findings.push({ severity, place: source.place(current), message })
  }
  const warn = (message: string) => find('warning', message)
  const ajv = createAjv(warn, { code: { ...code } })
  // Every schema is compiled by the first one too, which says what is odd about it.
  const coercing = createAjv(() => undefined, {
    strict: false,
    coerceTypes: true,
    useDefaults: true,
    code: { ...code },
  })
  if (meta) findings.push(...checkSchemas(document, source, ajv))
  allowUnknownKeywords(document, ajv)
  ajv.addSchema(document, DOCUMENT)
  coercing.addSchema(document, DOCUMENT)
  const refused = findings.some(({ severity }) => severity === 'error')

  const attempt = (pointer: string, compile: () => Validator | undefined) => {
    current = pointer
    try {
      return compile()
    } catch (error) {
      // A schema that was refused already fails here once more, in the words of a compiler.
      if (!refused) find('error', `cannot be compiled: ${error instanceof Error ? error.message : error}`)
      return undefined
    }
  }
  const validators = new Map<string, Validator | undefined>()
  const schemas = new Map<string, string>()
  const groups = new Map<string, string>()
  return {
    lazy: false,
    at(pointer) {
      if (!validators.has(pointer)) {
        schemas.set(schemaRef(pointer), schemaRef(pointer))
        validators.set(
          pointer,
          attempt(pointer, () => ajv.getSchema(schemaRef(pointer))),
        )
      }
      return validators.get(pointer)
    },
    parameters(schema, pointer) {
      const key = keyOfParameters(schema)
      const name = groups.get(key) ?? `parameters-${groups.size}`
      if (!groups.has(key)) coercing.addSchema(schema, name)
      groups.set(key, name)
      return attempt(pointer, () => coercing.getSchema(name))
    },
    findings,
    compiled: [
      { ajv, names: schemas },
      { ajv: coercing, names: groups },
    ],
  }
}
