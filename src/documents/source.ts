import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Json } from '../core/json.ts'
import { failure, type Result } from '../core/result.ts'
import type { Finding, Findings } from './finding.ts'
import type { Precompiled, PrecompiledSource } from './precompiled.ts'

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

/**
 * Reads a YAML or JSON file. A file that cannot be read, or not be understood, is a finding. One that is precompiled, byte for
 * byte, is taken from there; for any other the parser is loaded, which takes time.
 */
export async function readSource(file: string, precompiled?: Precompiled): Promise<Result<Source, Findings>> {
  let bytes: Buffer
  try {
    bytes = readFileSync(file) // a start has nothing else to do meanwhile, and the other way takes longer
  } catch (error) {
    return failedWith({ severity: 'error', place: file, message: `cannot be read: ${reason(error)}` })
  }
  const known = precompiled?.sources[digestOf(bytes)]
  if (known !== undefined) {
    const value: Json = JSON.parse(known.json)
    return { ok: true, value: { file, value, place: () => file, precompiled: known } }
  }
  const { parseSource } = await import('./parse.ts')
  return parseSource(bytes.toString('utf8'), file)
}

/** By what a file is known again. */
export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A load that came to nothing, and why. */
export function failedWith(...findings: Finding[]): Result<never, Findings> {
  return failure(findings)
}

/** What an exception says. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
