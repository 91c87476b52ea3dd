import { readFile, stat } from 'node:fs/promises'
import { isObject, type Json } from '../../core/json.ts'
import { measureJson } from '../../core/json-size.ts'
import { locateSyntaxError } from '../../core/json-syntax.ts'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import type { Finding, Findings } from '../../documents/finding.ts'
import { loadSchema } from '../../documents/load-schema.ts'
import { type Bundle, bundleFormat, bundleKind } from '../bundle.ts'

/** The largest size of a bundle: several times that of one with a full journal. */
const maxBytes = 256 * 1024 * 1024

/** The largest text in which the lines of findings are looked for: the parser that knows them takes seconds for it. */
const maxTextWithLines = 16 * 1024 * 1024

/** The deepest nesting of a bundle, since functions recurse into its states. */
const maxLevels = 200

/** The most findings that are returned: later ones are mostly consequences of the first. */
const maxFindings = 20

/** Reads a bundle and checks it by `spec/bundle.schema.json`. The findings have lines, except in a very large file. */
export async function readBundle(file: string): Promise<Result<Bundle, Findings>> {
  const read = await readText(file)
  if (!read.ok) return failure([error(file, read.error)])
  const text = read.value
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    const { at, message } = locateSyntaxError(text)
    return failure([error(placeOf(text, at, file), message)])
  }
  if (measureJson(value).levels > maxLevels) return failure([error(file, `is nested deeper than ${maxLevels} levels`)])
  const faults = await findFaults(value)
  if (faults.length === 0) return success(value as unknown as Bundle) // the schema has just proved it
  const isAboutAll = faults.every(({ pointer }) => pointer === '')
  const locate = isAboutAll ? () => `${file}:1:1` : await createLocator(text, file)
  return failure(faults.slice(0, maxFindings).map(({ pointer, message }) => error(locate(pointer), message)))
}

const error = (place: string, message: string): Finding => ({ severity: 'error', place, message })

async function readText(file: string): Promise<Result<string>> {
  try {
    const found = await stat(file)
    if (!found.isFile())
      return failure(found.isDirectory() ? 'is a folder; a file is expected' : 'is not an ordinary file')
    if (found.size > maxBytes) return failure(`is larger than ${maxBytes / 1024 / 1024} MiB`)
    return success(await readFile(file, 'utf8'))
  } catch (problem) {
    const isMissing = problem instanceof Error && 'code' in problem && problem.code === 'ENOENT'
    return failure(isMissing ? 'there is no such file' : `cannot be read: ${reasonOf(problem)}`)
  }
}

/** A fault of a value at a JSON pointer; the message is a sentence about the file. */
interface BundleFault {
  readonly pointer: string
  readonly message: string
}

async function findFaults(value: Json): Promise<BundleFault[]> {
  if (!isObject(value) || value['kind'] !== bundleKind)
    return [{ pointer: '', message: `is no bundle: convsim writes one with --bundle FILE or GET /__sim/bundle` }]
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
  const check = await loadSchema({ name: 'bundle', schema, definitions: [] })
  const violations = check(value)
  if (violations.length > 0)
    return violations.map(({ pointer, message }) => ({ pointer, message: `${pointer} ${message}`.trim() }))
  return findRuleFaults(value as unknown as Bundle) // the schema has just proved it
}

/** Finds the faults that the schema cannot express. */
function findRuleFaults({ sandboxes }: Bundle): BundleFault[] {
  const names = sandboxes.map(({ name }) => name)
  return sandboxes.flatMap(({ name, requests }, index) => {
    const at = `/sandboxes/${index}`
    const isRepeated = names.indexOf(name) !== index
    const wrongTimes = requests.flatMap((request, place) =>
      (['at', 'now'] as const).flatMap((field) => {
        const pointer = `${at}/requests/${place}/${field}`
        return Number.isNaN(Date.parse(request[field]))
          ? [{ pointer, message: `${pointer} must be a date of the calendar; got "${request[field]}"` }]
          : []
      }),
    )
    const repeated = { pointer: `${at}/name`, message: `${at}/name must not repeat "${name}"` }
    return isRepeated ? [repeated, ...wrongTimes] : wrongTimes
  })
}

function placeOf(text: string, at: number, file: string): string {
  const before = text.slice(0, at).split('\n')
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

/** Creates a function that returns the place of a JSON pointer; the parser that knows lines is loaded only here. */
async function createLocator(text: string, file: string): Promise<(pointer: string) => string> {
  if (text.length > maxTextWithLines) return () => file
  const { parseSource } = await import('../../documents/parse.ts')
  const parsed = parseSource(text, file)
  return parsed.ok ? parsed.value.place : () => file
}
