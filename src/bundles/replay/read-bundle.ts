import { readFile, stat } from 'node:fs/promises'
import { isObject, type Json, measureJson } from '../../core/json.ts'
import { locateSyntaxError } from '../../core/json-syntax.ts'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { errorAt, type Findings } from '../../documents/finding.ts'
import { loadSchema } from '../../documents/load-schema.ts'
import { type Bundle, bundleFormat, bundleKind } from '../bundle.ts'

/** The largest size of a bundle in bytes, several times the size of a bundle with a full journal. */
const maxBytes = 256 * 1024 * 1024

/** The longest text whose findings get lines, in characters; the parser that finds lines takes seconds for it. */
const maxTextWithLines = 16 * 1024 * 1024

/** The deepest nesting of a bundle, since recursive functions read its states and could overflow the stack. */
const maxLevels = 200

/** The most findings that are returned, since later ones mostly follow from the first. */
const maxFindings = 20

/** Reads a bundle and checks it by `spec/bundle.schema.json`. Findings have lines, except in a very long text. */
export async function readBundle(file: string): Promise<Result<Bundle, Findings>> {
  const read = await readBundleText(file)
  if (!read.ok) return failure([errorAt(file, read.error)])
  const text = read.value
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    const { at, message } = locateSyntaxError(text)
    return failure([errorAt(placeOf(text, at, file), message)])
  }
  if (measureJson(value).levels > maxLevels)
    return failure([errorAt(file, `is nested deeper than ${maxLevels} levels`)])
  const faults = await findFaults(value)
  if (faults.length === 0) return success(value as unknown as Bundle) // the schema has just proved it
  const isAboutFile = faults.every(({ pointer }) => pointer === '')
  const locate = isAboutFile ? () => `${file}:1:1` : await createLocator(text, file)
  return failure(faults.slice(0, maxFindings).map(({ pointer, message }) => errorAt(locate(pointer), message)))
}

async function readBundleText(file: string): Promise<Result<string>> {
  try {
    const stats = await stat(file)
    if (!stats.isFile())
      return failure(stats.isDirectory() ? 'is a folder; a file is expected' : 'is not an ordinary file')
    if (stats.size > maxBytes) return failure(`is larger than ${maxBytes / 1024 / 1024} MiB`)
    return success(await readFile(file, 'utf8'))
  } catch (problem) {
    const isMissing = problem instanceof Error && 'code' in problem && problem.code === 'ENOENT'
    return failure(isMissing ? 'there is no such file' : `cannot be read: ${reasonOf(problem)}`)
  }
}

/** A fault of the value at a JSON pointer. The message completes a sentence about the file: `is no bundle`. */
interface BundleFault {
  readonly pointer: string
  readonly message: string
}

async function findFaults(value: Json): Promise<BundleFault[]> {
  if (!isObject(value) || value['kind'] !== bundleKind)
    return [{ pointer: '', message: 'is no bundle: convsim writes one with --bundle FILE or GET /__sim/bundle' }]
  if (value['format'] !== bundleFormat)
    return [
      {
        pointer: '/format',
        message:
          `must be ${bundleFormat}, the format that this version of convsim reads; ` +
          'use the version that wrote the bundle',
      },
    ]
  const { default: schema } = await import('../../../spec/bundle.schema.json', { with: { type: 'json' } })
  const check = await loadSchema({ name: 'bundle', schema })
  const violations = check(value)
  if (violations.length > 0)
    return violations.map(({ pointer, message }) => ({ pointer, message: `${pointer} ${message}`.trim() }))
  const names = (value as unknown as Bundle).sandboxes.map(({ name }) => name) // the schema has just proved it
  return names.flatMap((name, index) => {
    const pointer = `/sandboxes/${index}/name`
    return names.indexOf(name) === index ? [] : [{ pointer, message: `${pointer} must not repeat "${name}"` }]
  })
}

function placeOf(text: string, at: number, file: string): string {
  const before = text.slice(0, at).split('\n')
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

/** Creates a function that returns the file and line of a JSON pointer. The parser that finds lines is loaded here. */
async function createLocator(text: string, file: string): Promise<(pointer: string) => string> {
  if (text.length > maxTextWithLines) return () => file
  const { parseSource } = await import('../../documents/parse.ts')
  const parsed = parseSource(text, file)
  return parsed.ok ? parsed.value.place : () => file
}
