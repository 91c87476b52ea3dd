import type { Json } from '../../../base/core/json.ts'
import { type DocumentFault, warning } from './fault.ts'

/** The dialects that stand for JSON Schema 2020-12, the only supported one and the default. */
const SUPPORTED_DIALECTS = [
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
  'https://spec.openapis.org/oas/3.2/dialect/2025-09-17',
  'https://spec.openapis.org/oas/3.2/dialect/2026-02-26',
]

/** Warns of a dialect that is not known. */
export function* checkDialect(pointer: string, dialect: Json | undefined): Generator<DocumentFault> {
  // Another type is an error of the meta-schema.
  if (dialect !== undefined && typeof dialect !== 'string') return
  if (SUPPORTED_DIALECTS.some((known) => known === dialect)) return
  yield warning(pointer, `the dialect "${dialect}" is not known; schemas are read as JSON Schema 2020-12`)
}
