import { createHash } from 'node:crypto'
import type { Json } from '../core/json.ts'
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import type { PrecompiledFiles } from './precompiled.ts'
import { readRegularFile, UnusableFileError } from './read-file.ts'
import { errorAt, type Findings, type Source } from './source.ts'

/** The maximum size of a file. Parsing that much YAML takes seconds. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/** Reads a YAML or JSON file. For a file in `precompiled`, uses its stored JSON, since parsing YAML delays startup. */
export async function readSource(file: string, precompiled?: PrecompiledFiles): Promise<Result<Source, Findings>> {
  let bytes: Buffer
  try {
    bytes = readRegularFile(file, MAX_FILE_BYTES) // blocking is acceptable at startup and during a reload
  } catch (error) {
    return failure([errorAt(file, describeReadError(error))])
  }
  const known = precompiled?.sources[computeDigest(bytes)]
  if (known !== undefined) {
    const value: Json = JSON.parse(known.json)
    return success({ file, value, locate: () => file, precompiled: known })
  }
  const { parseSource } = await import('./parse.ts')
  return parseSource(bytes.toString('utf8'), file)
}

function describeReadError(error: unknown): string {
  if (error instanceof UnusableFileError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'cannot be read: no such file'
  if (code === 'ENOTDIR') return 'cannot be read: a part of its path is a file, not a folder'
  return `cannot be read: ${code === 'EACCES' ? 'permission denied' : reasonOf(error)}`
}

export const computeDigest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
