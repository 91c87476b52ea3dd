import type { Json } from '../core/json.ts'
import type { PrecompiledSource } from './precompiled.ts'

/** A YAML or JSON file that was read, and still knows where each of its values stands. */
export interface Source {
  /** As it was named by whoever asked for it. */
  readonly file: string
  readonly value: Json
  /**
   * `spec/openapi.yaml:12:5` of a JSON pointer; where it points at nothing, of the nearest value around it. The file alone
   * of what is precompiled: whoever finds fault with that reads it once more, without `precompiled`.
   */
  place(pointer: string): string
  /** What the build has made of it; undefined for a file that was parsed just now. */
  readonly precompiled?: PrecompiledSource
}
