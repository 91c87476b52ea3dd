import type { CodeOptions, Options } from 'ajv'
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { valueAt } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import { reasonOf } from '../../base/core/result.ts'
import { createAjv, type Validator } from '../../base/documents/ajv.ts'
import type { CompiledSchemas } from '../../base/documents/schema.ts'
import { type DocumentFault, warning } from './checks/fault.ts'
import { isChecked, parsePattern } from './checks/schemas.ts'
import {
  type Compiler,
  DOCUMENT,
  keyOfParameters,
  responseRef,
  SIMULATED,
  schemaRef,
  simulatedRef,
} from './compiler.ts'
import { createTimeEstimate, limitTime } from './limit-time.ts'
import { withoutRequired } from './request/without-required.ts'
import { applySimulatedValues } from './simulated-values.ts'
import { mapNodes, type NodeKind } from './walk.ts'

interface AjvCompiler extends Compiler {
  /** Compiles the validators that were given out so far, and warns of each schema that cannot be compiled. */
  compileAll(): DocumentFault[]
  isFormat(name: string): boolean
  /** The schemas of the validators that were given out; those with simulated values if there are any. */
  readonly compiled: readonly CompiledSchemas[]
}

/**
 * Creates a compiler that uses ajv. A validator is compiled when it is first called; one that cannot be compiled
 * accepts every value. The build can write its schemas to a file.
 * @param options `lazy`: see `Compiler`; `code` has ajv's options for the code that the build writes
 */
export function createAjvCompiler(
  document: JsonObject,
  { lazy, code = {} }: { readonly lazy: boolean; readonly code?: CodeOptions },
): AjvCompiler {
  const ownProperties = once(() => namesInherited(document))
  const create = (root: () => JsonObject, uri: string, more: Options = {}) => {
    const ajv = once(() => {
      // Smaller code, as in `compilePublished`.
      const options = { strict: false, messages: false, loopRequired: 1, ownProperties: ownProperties(), ...more }
      return createAjv(() => undefined, { ...options, code: { regExp, ...code } }).addSchema(root(), uri)
    })
    return {
      names: new Map<string, string>(),
      get ajv() {
        return ajv()
      },
    }
  }
  const [request, response] = [withoutRequired(document, 'readOnly'), withoutRequired(document, 'writeOnly')]
  const checked = once(() => onlyChecked('document', request))
  const narrowed = applySimulatedValues(response, 'document')
  const plain = create(checked, DOCUMENT)
  const filling = create(checked, DOCUMENT, { useDefaults: true })
  const responses = request === response ? undefined : create(() => onlyChecked('document', response), DOCUMENT)
  const narrow = narrowed && create(() => onlyChecked('document', narrowed), SIMULATED)
  const mayTakeLong = once(() => createTimeEstimate(document))
  const validators = new Map<string, Validator>()
  const compilations = new Map<string, () => DocumentFault | undefined>()

  const compile = (instance: typeof plain, pointer: string, name: string, schema: Json | undefined, key = name) => {
    const known = validators.get(key)
    if (known) return known
    instance.names.set(key, name)
    const compiled = once(() => {
      try {
        if (isObject(schema) && !name.includes('#')) instance.ajv.addSchema(schema, name)
        const validate = instance.ajv.getSchema(name) as Validator | undefined
        return { validate: validate && isObject(schema) && mayTakeLong()(schema) ? limitTime(validate) : validate }
      } catch (error) {
        const message = `values are not checked by this schema, which cannot be compiled: ${reasonOf(error)}`
        return { fault: warning(pointer, message) }
      }
    })
    const validator: Validator = (value) => {
      const { validate } = compiled()
      const isValid = validate?.(value) ?? true
      validator.errors = validate?.errors ?? null
      return isValid
    }
    validators.set(key, validator)
    compilations.set(key, () => compiled().fault)
    return validator
  }
  const getValidator = (pointer: string) => compile(plain, pointer, schemaRef(pointer), valueAt(document, pointer))
  const getResponseValidator = (pointer: string) =>
    responses
      ? compile(responses, pointer, schemaRef(pointer), valueAt(document, pointer), responseRef(pointer))
      : getValidator(pointer)
  return {
    lazy,
    getValidator,
    getResponseValidator,
    getSimulatedValidator: (pointer) =>
      narrow
        ? compile(narrow, pointer, simulatedRef(pointer), valueAt(document, pointer))
        : getResponseValidator(pointer),
    getParameterValidator(schema, pointer) {
      const key = keyOfParameters(schema)
      return compile(filling, pointer, filling.names.get(key) ?? `parameters-${filling.names.size}`, schema, key)
    },
    compileAll: () => [...compilations.values()].flatMap((find) => find() ?? []),
    isFormat: (name) => name in plain.ajv.formats,
    compiled: [plain, filling, responses, narrow].filter((one) => one !== undefined),
  }
}

/** Creates the regular expression of a pattern, whatever flag it needs. (ajv writes `code` into compiled files.) */
export const regExp = Object.assign((pattern: string) => parsePattern(pattern) ?? /(?:)/, { code: 'new RegExp' })

/** Returns a copy with the schemas alone, and of those only what values are checked by. */
export function onlyChecked(kind: NodeKind, value: JsonObject): JsonObject {
  if (kind !== 'schema') return mapNodes(kind, value, onlyChecked, (data, name) => (name === '$ref' ? data : undefined))
  const kept = Object.entries(value).filter(([keyword, rule]) => isChecked(keyword, rule))
  return mapNodes(kind, Object.fromEntries(kept), onlyChecked)
}

/** Returns true for a document with a name that every object inherits, whose validators look at own properties only. */
function namesInherited(document: JsonObject): boolean {
  const text = JSON.stringify(document)
  return Object.getOwnPropertyNames(Object.prototype).some((name) => text.includes(`"${name}"`))
}
