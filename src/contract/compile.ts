import type { JsonObject } from '../json.ts'
import { asFragment } from '../pointer.ts'
import { createAjv, type Validator } from './ajv.ts'
import type { Finding } from './contract.ts'
import { checkSchemas, teachUnknown } from './schema-check.ts'
import type { Source } from './source.ts'

/** The name under which ajv knows the document, so that schemas can refer to each other, and to themselves. */
const DOCUMENT = 'contract'

/** Makes validators of the schemas of one document. All of it happens at load: what comes out only runs. */
export interface Compiler {
  /** The validator of the schema at this pointer, for JSON as it stands: nothing is coerced or filled in. */
  at(pointer: string): Validator | undefined
  /** The validator of an object of parameters; it types texts and fills in defaults in the object itself. */
  parameters(schema: JsonObject, pointer: string): Validator | undefined
  /** A reference for `parameters` to a schema of the document. */
  referTo(pointer: string): string
  /** What was found while compiling, each once. */
  readonly findings: readonly Finding[]
}

/** `meta: false` leaves out the check against the meta-schema, for a document that is known to pass it. */
export function createCompiler(document: JsonObject, source: Source, options: { meta: boolean }): Compiler {
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
  const ajv = createAjv(warn)
  // Every schema is compiled by the first one too, which says what is odd about it.
  const coercing = createAjv(() => undefined, { strict: false, coerceTypes: true, useDefaults: true })
  if (options.meta) findings.push(...checkSchemas(document, source, ajv))
  teachUnknown(document, ajv)
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
  return {
    at(pointer) {
      if (!validators.has(pointer)) {
        validators.set(
          pointer,
          attempt(pointer, () => ajv.getSchema(DOCUMENT + asFragment(pointer))),
        )
      }
      return validators.get(pointer)
    },
    parameters: (schema, pointer) => attempt(pointer, () => coercing.compile(schema)),
    referTo: (pointer) => DOCUMENT + asFragment(pointer),
    findings,
  }
}
