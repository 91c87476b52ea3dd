/**
 * YAML and JSON files with line numbers, schema checks, findings.
 * `readSource` reads a `Source`, `loadSchema` checks its value, and a `Finding` reports an error with its line.
 */
import type { Json } from '../core/json.ts'
import type { PrecompiledSource } from './precompiled.ts'

export const MAX_VALUES = 1_000_000

/** A YAML or JSON file that was read, together with the places of its values. */
export interface Source {
  /** The path by which the caller asked for the file. */
  readonly file: string
  readonly value: Json
  /** The files that parts of the value come from; undefined if all of it comes from `file`. */
  readonly files?: readonly string[]
  place(pointer: string): string
  /** The build's version of the file; undefined for a file that was parsed. */
  readonly precompiled?: PrecompiledSource
}
