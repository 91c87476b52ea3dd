import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { once } from '../../../src/base/core/memoize.ts'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import { context, event, listEvents, prompt } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail, problemOf, sealLog, statePath } from './open-file.ts'

/** The number of entries in the log that `createKilledState` leaves. */
const ENTRIES = 6

/** Creates a state file and a log, as a killed process leaves them. Returns the path of the state file. */
async function createKilledState(): Promise<string> {
  const { path, store } = await openNew()
  for (const insertId of ['a', 'ü']) await store.recordEvent(context, event({ insertId }))
  await store.createSnapshot(context)
  await store.addPromptVersion(context, prompt())
  await store.close()
  const { store: reopened } = await openOrFail(path)
  for (const insertId of ['d', 'e', 'f', 'a']) await reopened.recordEvent(context, event({ insertId }))
  await reopened.addPromptVersion(context, prompt())
  await reopened.addPromptVersion(context, prompt({ externalPromptId: 'ü' }))
  const copy = copyAsKilled(path)
  await reopened.close()
  return copy
}

interface Files {
  readonly 'state file': Buffer
  readonly log: Buffer
}
type FileName = keyof Files
const fileNames: readonly FileName[] = ['state file', 'log']

/** The contents of the files before a test damages them. */
const intactFiles = once(async (): Promise<Files> => {
  const path = await createKilledState()
  return { 'state file': readFileSync(path), log: readFileSync(`${path}.journal`) }
})

const positionIn = (content: Buffer) => fc.nat({ max: content.length - 1 })

/** Opens the files after changing one. Returns what was loaded, or the error. Checks that an error changes no file. */
async function openChanged(name: FileName, changed: Buffer) {
  const path = statePath()
  const contents = { ...(await intactFiles()), [name]: changed }
  writeFileSync(path, contents['state file'])
  writeFileSync(`${path}.journal`, contents.log)
  const opened = await openFileStore(path)
  if (opened.ok) {
    const { events } = await listEvents(opened.value.store, 'default')
    await opened.value.store.close()
    return { ...opened.value.loaded, replays: events.map(({ replays }) => replays) }
  }
  expect(opened.error).toContain('Nothing was changed')
  expect(readFileSync(path).equals(contents['state file'])).toBe(true)
  expect(readFileSync(`${path}.journal`).equals(contents.log)).toBe(true)
  expect(readdirSync(dirname(path)).sort()).toEqual(['state.json', 'state.json.journal'])
  return opened.error
}

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 50) }

/** Expects a refusal or, if a changed state file is still valid, a warning about its checksum. */
function expectNotice(name: FileName, outcome: Awaited<ReturnType<typeof openChanged>>): void {
  if (name === 'log' || typeof outcome === 'string') expect(outcome).toBeTypeOf('string')
  else
    expect(outcome.warnings).toEqual([
      expect.stringContaining('is missing or wrong, so the file was edited or damaged'),
    ])
}

describe.each(fileNames)('a damaged %s', (name) => {
  test('is detected if a single bit was flipped anywhere', async () => {
    const content = (await intactFiles())[name]
    const lastTwoBytes = fc.integer({ min: content.length - 2, max: content.length - 1 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(positionIn(content), lastTwoBytes), fc.nat({ max: 7 }), async (at, bit) => {
        const changed = Buffer.from(content)
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at)
        expectNotice(name, await openChanged(name, changed))
      }),
      RUNS,
    )
  })

  test('is detected if two parts were swapped, or a part was zeroed, repeated or removed', async () => {
    const content = (await intactFiles())[name]
    const position = positionIn(content)
    const change = fc.constantFrom('swap', 'zero', 'repeat', 'remove')
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
          zero: [before, Buffer.alloc(left.length + right.length), after],
          repeat: [before, left, left, right, after],
          remove: [before, right, after],
        }
        const changed = Buffer.concat(parts[kind])
        if (!changed.equals(content)) expectNotice(name, await openChanged(name, changed))
      }),
      RUNS,
    )
  })
})

test('a state file truncated anywhere within its JSON is refused with the location of the error', async () => {
  const content = (await intactFiles())['state file']
  await fc.assert(
    fc.asyncProperty(positionIn(content), async (length) => {
      if (length > content.lastIndexOf('}')) return
      const truncated = content.subarray(0, length)
      const refusal = await openChanged('state file', truncated)
      expect(refusal).toBeTypeOf('string')
      if (length === 0) return
      const lines = truncated.toString('utf8').split('\n')
      const end = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
      // A location before the end is the start of a truncated literal or the last character of a truncated number.
      const location = `it ends at ${end},|line ${lines.length}, column \\d+ has "[-tfn.eE]"`
      expect(refusal).toMatch(new RegExp(`is not JSON: (?:${location})`))
    }),
    RUNS,
  )
})

test('a state file with ";" instead of ":" or "," is refused with the location of the error', async () => {
  const path = statePath()
  const text = (await intactFiles())['state file'].toString('utf8')
  const line = text.split('\n').findIndex((each) => each.includes('"insertId":"a"'))
  const change = async (from: string | RegExp, to: string) => {
    const lines = text.split('\n')
    lines[line] = lines[line]?.replace(from, () => to) ?? ''
    writeFileSync(path, lines.join('\n'))
    return { problem: await problemOf(path), lines }
  }
  const broken = await change('"insertId":', '"insertId";')
  const column = (broken.lines[line]?.indexOf(';') ?? 0) + 1
  expect(broken.problem).toContain(`is not JSON: line ${line + 1}, column ${column} has ";"`)
  const { problem, lines } = await change(/,$/, ';')
  expect(problem).toContain(`is not JSON: line ${line + 1}, column ${lines[line]?.length} has ";", where "," or "]"`)
})

test('a truncated log is loaded up to its last complete entry, with a warning if it ends within an entry', async () => {
  const content = (await intactFiles()).log
  await fc.assert(
    fc.asyncProperty(positionIn(content), async (length) => {
      const truncated = content.subarray(0, length)
      const outcome = await openChanged('log', truncated)
      const endsWithEntry = length === 0 || truncated.at(-1) === 0x0a || content.at(length) === 0x0a
      const entries = truncated.toString('latin1').split('\n').length - (content.at(length) === 0x0a ? 0 : 1)
      expect(outcome).toMatchObject({ logEntries: entries })
      expect(outcome).toMatchObject({ warnings: endsWithEntry ? [] : [expect.stringContaining('is truncated')] })
    }),
    RUNS,
  )
})

describe('a log is refused', () => {
  const readLog = async () => (await intactFiles()).log.toString('utf8')

  test('if an entry number is repeated, even if all checksums match', async () => {
    const lines = (await readLog()).split('\n')
    const changed = sealLog([...lines.slice(0, 3), ...lines.slice(2)].join('\n'))
    expect(await openChanged('log', Buffer.from(changed))).toContain('is entry 7 but follows entry 7')
  })

  test('if entries are missing between the state file and the log', async () => {
    const [, ...others] = (await readLog()).split('\n')
    expect(await openChanged('log', Buffer.from(others.join('\n')))).toMatch(
      /Line 1 of the log \S+ is entry 6 but follows entry 4: the state file and its log do not belong together/,
    )
  })
})

test('null bytes that a crash left after the last entry are ignored, with a warning', async () => {
  const changed = Buffer.concat([(await intactFiles()).log, Buffer.alloc(100)])
  expect(await openChanged('log', changed)).toMatchObject({
    logEntries: ENTRIES,
    warnings: [expect.stringMatching(`^Line ${ENTRIES + 1} of .*, the last entry, is truncated after byte 100`)],
  })
})
