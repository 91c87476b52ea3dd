import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import { context, prompt } from '../drafts.ts'
import { copyAsKilled, openOrFail, problemOf, recordAll, sealLines, statePath } from './open-file.ts'

/** The number of entries in the log of `killedState`. */
const ENTRIES = 6

/** Returns a state file with records and a log with entries, as a killed process leaves them. */
async function killedState(): Promise<string> {
  const path = statePath()
  const { store } = await openOrFail(path)
  await recordAll(store, ['a', 'b', 'c'])
  await store.createSnapshot(context)
  await store.close()
  const { store: again } = await openOrFail(path)
  await recordAll(again, ['d', 'e', 'f', 'a'])
  await again.addPromptVersion(context, prompt())
  await again.addPromptVersion(context, prompt({ externalPromptId: 'ü' }))
  const copy = copyAsKilled(path)
  await again.close()
  return copy
}

interface Files {
  readonly 'state file': Buffer
  readonly log: Buffer
}
type FileName = keyof Files
const names: readonly FileName[] = ['state file', 'log']

async function readFiles(): Promise<Files> {
  const path = await killedState()
  return { 'state file': readFileSync(path), log: readFileSync(`${path}.journal`) }
}

let shared: Promise<Files> | undefined

/** Returns the content of the files that all tests damage. */
function intactFiles(): Promise<Files> {
  shared ??= readFiles()
  return shared
}

const positionIn = (content: Buffer) => fc.nat({ max: content.length - 1 })

/** Writes the files with one of them changed, opens them, and returns the outcome. A refused file must stay. */
async function openChanged(name: FileName, changed: Buffer) {
  const path = statePath()
  const contents = { ...(await intactFiles()), [name]: changed }
  writeFileSync(path, contents['state file'])
  writeFileSync(`${path}.journal`, contents.log)
  const opened = await openFileStore(path)
  if (opened.ok) {
    await opened.value.store.close()
    return opened.value.loaded
  }
  expect(opened.error).toContain(path)
  expect(opened.error).toContain('It was left as it is. Move it away')
  expect(readFileSync(path).equals(contents['state file'])).toBe(true)
  expect(readFileSync(`${path}.journal`).equals(contents.log)).toBe(true)
  expect(readdirSync(dirname(path)).sort()).toEqual(['state.json', 'state.json.journal'])
  return opened.error
}

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 50) }

describe.each(names)('a %s', (name) => {
  test('is refused if any bit is flipped', async () => {
    const content = (await intactFiles())[name]
    const everyBitOfTheEnd = fc.integer({ min: content.length - 2, max: content.length - 1 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(positionIn(content), everyBitOfTheEnd), fc.nat({ max: 7 }), async (at, bit) => {
        const changed = Buffer.from(content)
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at)
        expect(await openChanged(name, changed)).toBeTypeOf('string')
      }),
      RUNS,
    )
  })

  test('is refused if two parts of it are swapped, or a part is overwritten, repeated or missing', async () => {
    const content = (await intactFiles())[name]
    const lineStarts = [0, ...[...content.keys()].filter((at) => content[at] === 0x0a).map((at) => at + 1)]
    const position = fc.oneof(positionIn(content), fc.constantFrom(...lineStarts))
    const change = fc.constantFrom('swap', 'zeros', 'repeat', 'remove')
    await fc.assert(
      fc.asyncProperty(change, fc.tuple(position, position, position), async (kind, positions) => {
        const [from = 0, middle = 0, to = 0] = [...positions].sort((a, b) => a - b)
        const [before, left, right, after] = [
          content.subarray(0, from),
          content.subarray(from, middle),
          content.subarray(middle, to),
          content.subarray(to),
        ]
        const parts = {
          swap: [before, right, left, after],
          zeros: [before, Buffer.alloc(left.length + right.length), after],
          repeat: [before, left, left, right, after],
          remove: [before, right, after],
        }
        const changed = Buffer.concat(parts[kind])
        const isWithoutEnd = name === 'log' && content.subarray(0, changed.length).equals(changed)
        if (!changed.equals(content) && !isWithoutEnd) expect(await openChanged(name, changed)).toBeTypeOf('string')
      }),
      RUNS,
    )
  })
})

test('a state file that is cut off anywhere is refused', async () => {
  const content = (await intactFiles())['state file']
  await fc.assert(
    fc.asyncProperty(positionIn(content), async (length) => {
      expect(await openChanged('state file', content.subarray(0, length))).toBeTypeOf('string')
    }),
    RUNS,
  )
})

test('a log that is cut off within an entry loads all entries before, and warns; within its header it is refused', async () => {
  const content = (await intactFiles()).log
  const header = content.indexOf('\n') + 1
  await fc.assert(
    fc.asyncProperty(positionIn(content), async (length) => {
      const left = content.subarray(0, length)
      const outcome = await openChanged('log', left)
      if (length < header) {
        expect(outcome).toBeTypeOf('string')
        return
      }
      const isWhole = left.at(-1) === 0x0a || content.at(length) === 0x0a
      const whole = left.toString('latin1').split('\n').length - (content.at(length) === 0x0a ? 1 : 2)
      expect(outcome).toMatchObject({ journalEntries: whole })
      expect(outcome).toMatchObject({ warnings: isWhole ? [] : [expect.stringContaining('is cut off')] })
    }),
    RUNS,
  )
})

/** Changes the lines of a file, whose checksums fit afterwards; the last item of the lines is empty. */
type LineChange = (lines: readonly string[]) => readonly string[]

const replacing =
  (from: string, to: string): LineChange =>
  (lines) =>
    lines.map((line) => line.replace(from, to))
const withoutLine =
  (index: number): LineChange =>
  (lines) =>
    lines.filter((_, at) => at !== index)

test.each<[FileName, string, LineChange, string]>([
  [
    'log',
    'with a broken line',
    ([head = '', , ...rest]) => [head, 'garbage', ...rest],
    'line 2: does not fit its checksum',
  ],
  ['log', 'that lacks a line', withoutLine(2), 'line 3: is entry 7 and follows entry 5'],
  [
    'log',
    'that has a line twice',
    (lines) => [...lines.slice(0, 3), ...lines.slice(2)],
    'line 4: is entry 6 and follows entry 6',
  ],
  ['log', 'with a higher number', replacing('"seq":6,', '"seq":16,'), 'line 3: is entry 16 and follows entry 5'],
  ['log', 'with an invalid entry', replacing('"eventId"', '"id"'), 'line 2: is no entry: /event/eventId is required'],
  ['log', 'of another program', (lines) => ['{"hello":"world"}', ...lines.slice(1)], 'line 1: is no file of ours'],
  [
    'log',
    'that begins too late',
    replacing('"seq":4}', '"seq":5}'),
    'line 1: begins after entry 5, and follows entry 4',
  ],
  ['log', 'that ends too early', (lines) => [(lines[0] ?? '').replace('"seq":4', '"seq":3'), ''], 'ends with entry 3'],
  ['log', 'without a header', () => [''], 'state.json.journal is empty'],
  ['state file', 'that lacks a record', withoutLine(2), 'line 3: is entry 3 and follows entry 1'],
  ['state file', 'without its end', (lines) => [...lines.slice(0, -2), ''], 'is the last one, so the rest was cut off'],
  ['state file', 'with more behind its end', (lines) => [...lines.slice(0, -1), '{}', ''], 'stands behind the end'],
  ['state file', 'with an invalid record', replacing('"eventId"', '"id"'), 'is no entry: /event/eventId is required'],
  ['state file', 'of another shape', replacing('"history":', '"other":'), 'line 1: /history is required'],
  [
    'state file',
    'of a newer format',
    replacing('"format":4', '"format":9'),
    'has format 9, and this version reads format 4; use',
  ],
  [
    'state file',
    'of an earlier format',
    () => ['{', '  "kind": "convsim state", "format": 3 }', ''],
    'has format 3, which',
  ],
  ['state file', 'of another program', () => ['{"name":"package"}', ''], 'is no file of ours'],
  ['state file', 'that is empty', () => [''], 'state.json is empty'],
])('a %s %s is refused, although all checksums fit', async (name, _, change, message) => {
  const lines = (await intactFiles())[name].toString('utf8').split('\n')
  expect(await openChanged(name, Buffer.from(sealLines(change(lines).join('\n'))))).toContain(message)
})

describe('a log is refused', () => {
  test('if it is of another history with the same entries', async () => {
    const other = readFileSync(`${await killedState()}.journal`)
    expect(await openChanged('log', other)).toContain('belongs to history')
    const [header = ''] = (await intactFiles()).log.toString('utf8').split('\n')
    const mixed = [header, ...other.toString('utf8').split('\n').slice(1)].join('\n')
    expect(await openChanged('log', Buffer.from(mixed))).toContain('line 2: does not fit its checksum')
  })

  test('if zeros follow its last entry, or it is zeros', async () => {
    const changed = Buffer.concat([(await intactFiles()).log, Buffer.alloc(100)])
    expect(await openChanged('log', changed)).toContain(`line ${ENTRIES + 2}: has a byte 0 at its position 0`)
    for (const count of [1, 5000]) expect(await openChanged('log', Buffer.alloc(count))).toBeTypeOf('string')
  })

  test('if its state file is missing', async () => {
    const path = await killedState()
    rmSync(path)
    expect(await problemOf(path)).toContain('line 1: the state file that it belongs to is missing')
    expect(existsSync(path)).toBe(false)
  })
})
