/** The text of a state file. Each event or prompt is a line, which is readable and greppable. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { isObject } from '../../base/core/json.ts'
import type { HeldRecord } from '../collections/collection.ts'
import { SandboxData, type SandboxEntry, StateData, type StoredSnapshot } from '../memory/state-data.ts'
import { formatTrailer, TRAILER } from './checksum.ts'
import { parseStateJson, StateFileError } from './disk.ts'
import { checkEdited, type SandboxDocument, type StateDocument } from './state-document.ts'

/** The version of the format of the state file and its log, also in `spec/state.schema.json`. */
const FORMAT = 5

/** The `kind` of a state file. */
const STATE_KIND = 'convsim state'

/** Says why a document is not a state file of this format, or returns undefined if it is one. */
function findFormatFault(document: unknown): string | undefined {
  if (!isObject(document) || document['kind'] !== STATE_KIND)
    return `is not ours: it does not say "kind": "${STATE_KIND}"`
  const { format } = document
  if (format === FORMAT) return undefined
  const writer = Number(format) > FORMAT ? 'a newer version' : 'the older version that wrote it'
  return `has format ${format}, and this version reads format ${FORMAT}; use ${writer}`
}

/** The indentation of lines that are records. */
const RECORD_INDENT = '        '

/** Returns the text of a state file up to its checksum, in small pieces. Later changes do not change it. */
export function stateText({ seq, sandboxes }: StateData): Iterable<string> {
  const lists: Iterable<HeldRecord>[] = []
  const placeholder = randomUUID() // which no client can know
  const capture = (data: SandboxData) => {
    const { quality, lists: captured } = data.capture()
    lists.push(...captured.map(([, list]) => list))
    return { quality, ...Object.fromEntries(captured.map(([name]) => [name, placeholder])) }
  }
  // `snapshots` must follow `...capture(data)`: the lists stand in the order of their placeholders.
  const documents = Array.from(sandboxes, ([name, { data, snapshotsTaken, snapshots }]) => ({
    name,
    snapshotsTaken,
    ...capture(data),
    snapshots: Array.from(snapshots.values(), (snapshot) => ({ ...snapshot.head, ...capture(snapshot.data) })),
  }))
  const head = `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "seq": ${seq},\n  "sandboxes": `
  return withLists(`${head}${JSON.stringify(documents)},\n`.split(`"${placeholder}"`), lists)
}

/** Yields texts with lists between them. Each record of a list is a line. */
function* withLists(texts: readonly string[], lists: readonly Iterable<HeldRecord>[]): Generator<string> {
  for (const [index, text] of texts.entries()) {
    yield text
    let separator = '[\n'
    for (const record of lists[index] ?? []) {
      yield `${separator}${RECORD_INDENT}${typeof record === 'string' ? record : JSON.stringify(record)}`
      separator = ',\n'
    }
    if (index < lists.length) yield separator === ',\n' ? ']\n' : '[]'
  }
}

/** Reads a state file, which must be valid if it was changed since a process wrote it. Throws a `StateFileError`. */
export async function readStateText(path: string): Promise<{ readonly state: StateData; readonly isEdited: boolean }> {
  const bytes = await readFile(path)
  const text = bytes.toString('utf8')
  if (text === '') throw new StateFileError('is empty')
  const document = parseStateJson(text)
  const fault = findFormatFault(document)
  if (fault !== undefined) throw new StateFileError(fault)
  const end = bytes.lastIndexOf(TRAILER)
  const isEdited = end < 0 || bytes.toString('utf8', end) !== formatTrailer(crc32(bytes.subarray(0, end)))
  const { seq = 0, sandboxes } = isEdited ? await checkEdited(document, text) : (document as StateDocument)
  const entries: [string, SandboxEntry][] = []
  for (const sandbox of sandboxes) entries.push([sandbox.name, await createEntry(sandbox)])
  return { state: new StateData(seq, entries), isEdited }
}

async function createEntry({ snapshots: stored = [], ...sandbox }: SandboxDocument): Promise<SandboxEntry> {
  const snapshots = new Map<string, StoredSnapshot>()
  for (const { snapshotId, name, createdAt, ...content } of stored) {
    const head = { snapshotId, ...(name !== undefined && { name }), createdAt }
    snapshots.set(snapshotId, { head, data: await SandboxData.load(content) })
  }
  const { snapshotsTaken = snapshots.size } = sandbox
  return { data: await SandboxData.load(sandbox), snapshotsTaken, snapshots }
}
