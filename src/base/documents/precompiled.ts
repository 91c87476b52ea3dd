import type { Validator } from './ajv.ts'

export interface PrecompiledSource {
  /** The value of the file as JSON text, so that each reader can parse its own copy. */
  readonly json: string
  /** True if `validators` includes the validators for an OpenAPI document's responses. */
  readonly hasResponseValidators: boolean
  /** An OpenAPI document's validators by key (`request#/components/schemas/Error`); empty for any other file. */
  readonly validators: Readonly<Record<string, Validator>>
}

/** The bundled files, which the build precompiles so that they need not be parsed and compiled at startup. */
export interface PrecompiledFiles {
  /** Files by their digest (`computeDigest`). */
  readonly sources: Readonly<Record<string, PrecompiledSource>>
  readonly schemas: Readonly<Record<string, Validator>>
}

/** The precompiled files. There are none in `src/`; the build replaces this module in `dist/`. */
export const precompiled: PrecompiledFiles = { sources: {}, schemas: {} }
