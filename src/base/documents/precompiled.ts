import type { Validator } from './ajv.ts'

export interface PrecompiledSource {
  /** The value of the file as JSON text, so that each reader can parse its own copy. */
  readonly json: string
  /** True for an OpenAPI document if `validators` include those of its responses; false for any other file. */
  readonly hasResponseValidators: boolean
  /** The validators of an OpenAPI document, by `keyOf`; empty for any other file. */
  readonly validators: Readonly<Record<string, Validator>>
}

/** The bundled files, precompiled by the build, so that they are not parsed and compiled at startup. */
export interface PrecompiledFiles {
  /** Files by their digest (`computeDigest`). */
  readonly sources: Readonly<Record<string, PrecompiledSource>>
  readonly schemas: Readonly<Record<string, Validator>>
}

/** The precompiled files: none in `src/`; in `dist/` the build replaces this module (`build/precompile.ts`). */
export const precompiled: PrecompiledFiles = { sources: {}, schemas: {} }
