import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import type { Json } from '../core/json.ts'
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import { errorAt, type Findings } from './finding.ts'
import type { PrecompiledFiles } from './precompiled.ts'
import type { Source } from './source.ts'

/** The largest size of a file. A parser of YAML takes seconds for it. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/**
 * Reads a YAML or JSON file. A file that equals a precompiled one is not parsed: the parser delays a start.
 * @returns findings if the file cannot be read or parsed
 */
export async function readSource(file: string, precompiled?: PrecompiledFiles): Promise<Result<Source, Findings>> {
  let bytes: Buffer
  try {
    const problem = findFileProblem(statSync(file))
    if (problem !== undefined) return failure([errorAt(file, problem)])
    bytes = readFileSync(file) // quicker than an asynchronous read, and a start has nothing else to do meanwhile
  } catch (error) {
    return failure([errorAt(file, `cannot be read: ${describeReadError(error)}`)])
  }
  const known = precompiled?.sources[computeDigest(bytes)]
  if (known !== undefined) {
    const value: Json = JSON.parse(known.json)
    return success({ file, value, place: () => file, precompiled: known })
  }
  const { parseSource } = await import('./parse.ts')
  return parseSource(bytes.toString('utf8'), file)
}

function describeReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'ENOTDIR') return 'a part of its path is a file, and no folder'
  return code === 'EACCES' ? 'this user may not read it' : reasonOf(error)
}

/** Returns why a file is not read (a device or a pipe need not have an end), or undefined if it can be read. */
function findFileProblem(stats: Stats): string | undefined {
  if (!stats.isFile()) return stats.isDirectory() ? 'is a folder; a file is expected' : 'is not an ordinary file'
  return stats.size > MAX_FILE_BYTES ? `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB` : undefined
}

/** Returns the SHA-256 of a file's bytes, by which a precompiled file is found. */
export function computeDigest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
