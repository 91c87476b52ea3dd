/** The content of a state file, and the validation of files edited by hand. */
import schema from '../../../spec/state.schema.json' with { type: 'json' }
import { once } from '../../base/core/memoize.ts'
import { loadSchema } from '../../base/documents/load-schema.ts'
import type { PublishedSchema } from '../../base/documents/schema.ts'
import type { StoredContent } from '../collections/index.ts'
import { EXPORT_FORMAT, type SnapshotHead } from '../records.ts'
import { parseExport } from '../sandbox-export.ts'
import { StateFileError } from './disk.ts'

export interface StateDocument {
  /** The number of the last change in the file; 0 or absent if no changes were made. */
  readonly seq?: number
  readonly sandboxes: readonly SandboxDocument[]
}

export interface SandboxDocument extends StoredContent {
  readonly name: string
  readonly snapshotsTaken?: number
  readonly snapshots?: readonly (StoredContent & SnapshotHead)[]
}

/** The schema for state files, except for records, which the export schema describes. Precompiled by the build. */
export const stateSchema: PublishedSchema = { name: 'state', schema }

const loadCheck = once(() => loadSchema(stateSchema))

/** The maximum text length for which errors include a line and column. Finding them in longer text takes seconds. */
const MAX_LOCATED = 16 * 1024 * 1024

/** Returns the document if it is valid. Otherwise throws a `StateFileError` that describes the first error. */
export async function checkEdited(document: unknown, text: string): Promise<StateDocument> {
  const check = await loadCheck()
  const stateDocument = document as StateDocument // if the checks below pass
  const [problem = await findContentProblem(stateDocument)] = check(document)
  if (problem === undefined) return stateDocument
  const { pointer, message } = problem
  throw new StateFileError(`is not valid: ${await locate(text, pointer)}${pointer || 'the file'} ${message}`)
}

async function findContentProblem({ sandboxes }: StateDocument) {
  const names = sandboxes.map(({ name }) => name)
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index)
  if (repeated !== -1)
    return { pointer: `/sandboxes/${repeated}/name`, message: 'must not repeat the name of an earlier sandbox' }
  const contents = sandboxes.flatMap(({ snapshots = [], ...sandbox }, index) => [
    [`/sandboxes/${index}`, sandbox] as const,
    ...snapshots.map((snapshot, at) => [`/sandboxes/${index}/snapshots/${at}`, snapshot] as const),
  ])
  for (const [parent, content] of contents) {
    const parsed = await parseExport({ ...content, format: EXPORT_FORMAT })
    if (parsed.ok) continue
    const [first = ''] = parsed.error
    const [, pointer = '', message = first] = /^(?:the export|(\/\S*)) (.*)$/s.exec(first) ?? []
    return { pointer: parent + pointer, message }
  }
  return undefined
}

/** Returns the line and column of a value as `line 7, column 3: `, or an empty string if they are unknown. */
async function locate(text: string, pointer: string): Promise<string> {
  if (text.length > MAX_LOCATED) return ''
  const { parseSource } = await import('../../base/documents/parse.ts') // needed only for an invalid file
  const source = parseSource(text, '')
  const [, line, column] = (source.ok && source.value.locate(pointer).split(':')) || []
  return line === undefined ? '' : `line ${line}, column ${column}: `
}
