import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Json } from '../core/json.ts'
import { failure, type Result, reasonOf } from '../core/result.ts'
import type { Findings } from './finding.ts'
import type { Precompiled } from './precompiled.ts'
import type { Source } from './source.ts'

/**
 * Reads a YAML or JSON file. A file that cannot be read, or not be understood, is a finding. One that is precompiled, byte for
 * byte, is taken from there; for any other the parser is loaded, which takes time.
 */
export async function readSource(file: string, precompiled?: Precompiled): Promise<Result<Source, Findings>> {
  let bytes: Buffer
  try {
    bytes = readFileSync(file) // a start has nothing else to do meanwhile, and the other way takes longer
  } catch (error) {
    return failure([{ severity: 'error', place: file, message: `cannot be read: ${reasonOf(error)}` }])
  }
  const known = precompiled?.sources[computeDigest(bytes)]
  if (known !== undefined) {
    const value: Json = JSON.parse(known.json)
    return { ok: true, value: { file, value, place: () => file, precompiled: known } }
  }
  const { parseSource } = await import('./parse.ts')
  return parseSource(bytes.toString('utf8'), file)
}

/** By what a file is known again. */
export function computeDigest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
