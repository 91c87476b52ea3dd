import type { ErrorObject, Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { OWN_FORMATS } from './formats.ts'

/** What ajv is asked of here: compile the schema at a URI, or one at hand, into a function. */
export type Validator = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null }

/** Keywords of OpenAPI that say nothing about which values are valid. (`nullable` ajv knows by itself.) */
export const OPENAPI_KEYWORDS = ['discriminator', 'xml', 'externalDocs', 'example'] as const

/**
 * A JSON Schema 2020-12 validator as it is used everywhere here: every error, with the value that was sent; what is odd
 * about a schema goes to `warn` instead of being passed over in silence or thrown.
 */
export function createAjv(warn: (message: string) => void, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: 'log',
    // Both are ordinary ways of writing in OpenAPI 3.1 and no sign of a mistake.
    allowUnionTypes: true,
    strictRequired: false,
    // Schemas are checked against the meta-schema one by one, where their places are known.
    validateSchema: false,
    // Nothing is gained by copying a shared schema into each of its users, and start-up is lost.
    inlineRefs: false,
    logger: { log: warn, warn, error: warn },
    ...options,
  })
  formats.default(ajv)
  for (const [name, format] of Object.entries(OWN_FORMATS)) ajv.addFormat(name, format)
  ajv.addVocabulary([...OPENAPI_KEYWORDS])
  return ajv
}
