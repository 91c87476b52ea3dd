import type { Validator } from './ajv.ts'

/** A file as the build has read and checked it. */
export interface PrecompiledSource {
  /** Its value as JSON: text, since each reader wants a copy of its own. */
  readonly json: string
  /** For a document: whether those of its answers are among its validators. */
  readonly answers: boolean
  /** For a document: its validators, by `referTo` and `keyOfParameters`. */
  readonly validators: Readonly<Record<string, Validator>>
}

/** What the build has made of the files that are shipped, so that a start need not parse and compile them once more. */
export interface Precompiled {
  /** By `digestOf` the file. */
  readonly sources: Readonly<Record<string, PrecompiledSource>>
  /** The validators of published schemas, by the schema's name and the names of its definitions. */
  readonly schemas: Readonly<Record<string, Readonly<Record<string, Validator>>>>
}

/** Nothing, in the sources. In dist/ this file is what the build has precompiled (`build/precompile.ts`). */
export const precompiled: Precompiled = { sources: {}, schemas: {} }
