import type { Validator } from './ajv.ts'

export interface PrecompiledSource {
  /** The value of the file as JSON text, so that each reader can parse its own copy. */
  readonly json: string
  /** True for an OpenAPI document if `validators` include validators for its responses; false for any other file. */
  readonly hasResponseValidators: boolean
  /** The validators of an OpenAPI document, by the key that `keyOf` returns; empty for any other file. */
  readonly validators: Readonly<Record<string, Validator>>
}

/** The bundled files, which the build precompiles so that they need not be parsed and compiled at startup. */
export interface PrecompiledFiles {
  /** Files by their digest (`computeDigest`). */
  readonly sources: Readonly<Record<string, PrecompiledSource>>
  readonly schemas: Readonly<Record<string, Validator>>
}

/** The precompiled files: none in `src/`. In `dist/`, the build replaces this module (`build/precompile.ts`). */
export const precompiled: PrecompiledFiles = { sources: {}, schemas: {} }
