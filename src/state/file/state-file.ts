/** Reads and writes the state file, and reads its log. The file has one line for each event or prompt. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { isObject } from '../../base/core/json.ts'
import { describeSyntaxError } from '../../base/core/json-syntax.ts'
import { chunksInSlices } from '../../base/core/slices.ts'
import type { HeldRecord } from '../collections/collection.ts'
import { SandboxData, type SandboxEntry, StateData, type StoredSnapshot } from '../memory/state-data.ts'
import { failAt, findEntry, formatTrailer, replaceFile, StateFileError, TRAILER } from './disk.ts'
import { type LogSummary, readLog } from './log-reader.ts'
import { checkEdited, type SandboxDocument, type StateDocument } from './state-document.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The format version of the state file and its log. `spec/state.schema.json` contains the same number. */
const FORMAT = 5

const STATE_KIND = 'convsim state'

const RECORD_INDENT = '        '

/** The maximum length of the file's text: the maximum length of a string in Node, minus room for the trailer. */
const MAX_LENGTH = 2 ** 29 - 100

/** A lowdb adapter that reads the state from the state file and its log, and writes the state file. */
export class StateFile implements Adapter<StateData> {
  readonly path: string
  readonly log: WriteAheadLog
  /** The number of the last change in the file; -1 if the file is absent, was empty, or was edited. */
  seq = -1
  /** The number of applied log entries, and warnings about the state file and the log. */
  found: LogSummary = { entries: 0, warnings: [] }

  constructor(path: string, log: WriteAheadLog) {
    this.path = path
    this.log = log
  }

  async read(): Promise<StateData> {
    const { path, log } = this
    const stats = findEntry(path)
    // An empty file is new, unless a log shows that it was in use. `mktemp` creates empty files; a crash never does.
    const isNew = stats?.size === 0 && !findEntry(log.path) && !findEntry(log.oldPath)
    const stored =
      stats && !isNew ? await readState(path).catch((error) => failAt(`The state file ${path}`, error)) : undefined
    if (stored && !stored.isEdited) this.seq = stored.state.seq
    const state = stored?.state ?? new StateData()
    const [old, current] = [readLog(log.oldPath, state), readLog(log.path, state)]
    const warnings = [...old.warnings, ...current.warnings]
    if (isNew) warnings.push(`The state file ${path} was empty, so it was treated as a new file.`)
    if (stored?.isEdited) warnings.push(describeEdit(path))
    this.found = { entries: old.entries + current.entries, warnings }
    return state
  }

  /** Replaces the state file and then deletes the old log. Changes made during the call are stored only in the log. */
  async write(state: StateData): Promise<void> {
    const { seq } = state
    const text = stateText(state)
    this.log.rotate()
    await replaceFile(this.path, withTrailer(text), () => this.log.checkFiles())
    this.seq = seq
    await this.log.dropOld()
  }
}

/** Returns a state file's text, up to its checksum, in small pieces. Later state changes do not affect the text. */
function stateText({ seq, sandboxes }: StateData): Iterable<string> {
  const lists: Iterable<HeldRecord>[] = []
  const placeholder = randomUUID() // no client can guess it
  const capture = (data: SandboxData) => {
    const { quality, lists: captured } = data.capture()
    lists.push(...captured.map(([, list]) => list))
    return { quality, ...Object.fromEntries(captured.map(([name]) => [name, placeholder])) }
  }
  // `snapshots` must follow `...capture(data)`, since the lists must be in the order of their placeholders.
  const documents = Array.from(sandboxes, ([name, { data, snapshotsTaken, snapshots }]) => ({
    name,
    snapshotsTaken,
    ...capture(data),
    snapshots: Array.from(snapshots.values(), (snapshot) => ({ ...snapshot.head, ...capture(snapshot.data) })),
  }))
  const head = `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "seq": ${seq},\n  "sandboxes": `
  return withLists(`${head}${JSON.stringify(documents)},\n`.split(`"${placeholder}"`), lists)
}

/** Yields the segments with the lists between them. Each record in a list is on its own line. */
function* withLists(segments: readonly string[], lists: readonly Iterable<HeldRecord>[]): Generator<string> {
  for (const [index, segment] of segments.entries()) {
    yield segment
    let separator = '[\n'
    for (const record of lists[index] ?? []) {
      yield `${separator}${RECORD_INDENT}${typeof record === 'string' ? record : JSON.stringify(record)}`
      separator = ',\n'
    }
    if (index < lists.length) yield separator === ',\n' ? ']\n' : '[]'
  }
}

async function* withTrailer(text: Iterable<string>): AsyncGenerator<string> {
  let [checksum, length] = [0, 0]
  for await (const chunk of chunksInSlices(text)) {
    length += chunk.length
    if (length > MAX_LENGTH) throw new Error('it would be too long to read at the next start')
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  yield formatTrailer(checksum)
}

/** Reads a state file, and validates it if it was edited. Throws a `StateFileError` if the file is not valid. */
async function readState(path: string): Promise<{ readonly state: StateData; readonly isEdited: boolean }> {
  const bytes = await readFile(path)
  const text = bytes.toString('utf8')
  const document = parseState(text)
  const end = bytes.lastIndexOf(TRAILER)
  const isEdited = end < 0 || bytes.toString('utf8', end) !== formatTrailer(crc32(bytes.subarray(0, end)))
  const { seq = 0, sandboxes } = isEdited ? await checkEdited(document, text) : (document as StateDocument)
  return { state: new StateData(seq, sandboxes.map(createEntry)), isEdited }
}

function parseState(text: string): unknown {
  if (text === '') throw new StateFileError('is empty')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new StateFileError(`is not JSON: ${describeSyntaxError(text)}`, { cause: error })
  }
  if (!isObject(document) || document['kind'] !== STATE_KIND)
    throw new StateFileError(`is not a convsim state file: it does not contain "kind": "${STATE_KIND}"`)
  const { format } = document
  if (format === FORMAT) return document
  const writer = Number(format) > FORMAT ? 'a newer version' : 'the older version that wrote it'
  throw new StateFileError(`has format ${format}, but this version reads format ${FORMAT}; use ${writer}`)
}

function createEntry({ snapshots: stored = [], name, ...sandbox }: SandboxDocument): [string, SandboxEntry] {
  const snapshots = new Map<string, StoredSnapshot>()
  for (const { snapshotId, name: label, createdAt, ...content } of stored) {
    const head = { snapshotId, ...(label !== undefined && { name: label }), createdAt }
    snapshots.set(snapshotId, { head, data: SandboxData.of(content) })
  }
  const { snapshotsTaken = snapshots.size } = sandbox
  return [name, { data: SandboxData.of(sandbox), snapshotsTaken, snapshots }]
}

const describeEdit = (path: string) =>
  `The checksum of the state file ${path} is missing or wrong, so the file was edited or damaged. It was loaded anyway.`
