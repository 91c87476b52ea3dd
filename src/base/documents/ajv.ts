import type { ErrorObject, Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { boundErrors } from './bounded-errors.ts'
import { OWN_FORMATS } from './formats.ts'
import { addLinearUniqueItems } from './unique-items.ts'

/** A compiled schema: returns true for a valid value, and otherwise sets `errors`. */
export type Validator = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null }

/** The keywords of OpenAPI that do not restrict values. (ajv itself supports `nullable`.) */
export const OPENAPI_KEYWORDS = ['discriminator', 'xml', 'externalDocs', 'example'] as const

/** Creates a JSON Schema 2020-12 validator that reports every error; `warn` gets a message on questionable parts. */
export function createAjv(warn: (message: string) => void, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: 'log',
    // Union types and required members without a schema are common in OpenAPI 3.1, and no sign of a mistake.
    allowUnionTypes: true,
    strictRequired: false,
    // Callers check schemas against the meta-schema one by one, because they know the places.
    validateSchema: false,
    // A copy of each shared schema at each reference would only delay the start.
    inlineRefs: false,
    logger: { log: warn, warn, error: warn },
    ...options,
  })
  formats.default(ajv)
  for (const [name, format] of Object.entries(OWN_FORMATS)) ajv.addFormat(name, format)
  ajv.addVocabulary([...OPENAPI_KEYWORDS])
  boundErrors(ajv)
  addLinearUniqueItems(ajv)
  return ajv
}
