import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenedStore, openFileStore } from '../../src/state/file/file-store.ts'
import { context, event, prompt } from '../state/drafts.ts'
import { type Chance, pick } from './chance.ts'
import type { Figures } from './figures.ts'
import { digestOf, Model } from './model.ts'

type Files = ReadonlyMap<string, Buffer>

/** The files that a killed process left, and what it had acknowledged. */
interface KilledState {
  readonly files: Files
  /** The files of the same history at an earlier time. */
  readonly earlier: Files
  /** The digests of the model after each acknowledged write. */
  readonly digests: readonly string[]
}

/** Milliseconds in which a heartbeat has written the number of the last acknowledged entry to the lock file. */
const HEARTBEAT_MS = 700

/** Tries damage on the files of killed processes: each try changes one file and opens the state. */
export class DamageTrial {
  readonly #chance: Chance
  readonly #figures: Figures
  readonly #folder = mkdtempSync(join(tmpdir(), 'convsim-hostile-'))
  #states: KilledState[] = []
  #tries = 0

  constructor(chance: Chance, figures: Figures) {
    this.#chance = chance
    this.#figures = figures
  }

  async run(): Promise<void> {
    if (this.#tries % 500 === 0) this.#states = await Promise.all([this.#createState(), this.#createState()])
    this.#tries += 1
    const [state, other] = this.#states
    if (state === undefined || other === undefined) throw new Error('no state was created')
    const names = [...state.files.keys()].filter((name) => !name.endsWith('.lock'))
    const name = names[pick(this.#chance, names.length)] ?? ''
    const [kind, damage] = damages[pick(this.#chance, damages.length)] ?? damages[0]
    const original = state.files.get(name) ?? Buffer.alloc(0)
    const damaged = damage({ content: original, chance: this.#chance, name, state, other })
    if (damaged === undefined || damaged.equals(original)) return
    await this.#open(state, new Map([...state.files, [name, damaged]]), `${kind} in ${name}`)
  }

  async #open(state: KilledState, files: Files, what: string): Promise<void> {
    const folder = join(this.#folder, 'damaged')
    writeFiles(folder, files)
    this.#figures.add('damaged files')
    const opened = await openFileStore(join(folder, 'state.json'))
    if (opened.ok) await this.#judge(state, opened.value, what)
    else this.#checkUntouched(folder, files, what)
    rmSync(folder, { recursive: true })
  }

  async #judge({ digests }: KilledState, { store, loaded }: OpenedStore, what: string): Promise<void> {
    const digest = digestOf(await store.exportSandbox('default'))
    await store.close()
    if (digest === digests.at(-1)) this.#figures.add('without effect')
    else if (!digests.includes(digest)) this.#figures.fault(`${what}: the data changed`)
    else if (loaded.warnings.length === 0) this.#figures.fault(`${what}: writes are lost without a word`)
    else this.#figures.add('cut off with a warning')
  }

  #checkUntouched(folder: string, files: Files, what: string): void {
    this.#figures.add('refused')
    for (const [name, content] of files) {
      if (name.endsWith('.lock')) continue
      if (!readFileSync(join(folder, name)).equals(content)) this.#figures.fault(`${what}: ${name} was changed`)
    }
  }

  async #createState(): Promise<KilledState> {
    const folder = mkdtempSync(join(this.#folder, 'state-'))
    const path = join(folder, 'state.json')
    const model = new Model()
    const digests = [model.digest()]
    const write = async (opened: OpenedStore, count: number) => {
      for (let index = 0; index < count; index += 1) {
        await this.#write(opened, model)
        digests.push(model.digest())
      }
    }
    const first = await openIntact(path)
    await write(first, 5 + pick(this.#chance, 20))
    const earlier = readFiles(folder)
    await first.store.close()
    const second = await openIntact(path)
    await write(second, 5 + pick(this.#chance, 20))
    await sleep(HEARTBEAT_MS)
    const files = asKilled(readFiles(folder))
    await second.store.close()
    rmSync(folder, { recursive: true })
    return { files, earlier, digests }
  }

  async #write({ store }: OpenedStore, model: Model): Promise<void> {
    const number = pick(this.#chance, 30)
    if (number < 6) {
      const receipt = await store.addPromptVersion(context, prompt({ externalPromptId: `p${number % 3}` }))
      model.version(receipt.version.versionId)
      return
    }
    const { event: stored } = await store.recordEvent(context, event({ insertId: `ü${number}` }))
    model.event(stored.eventId)
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function openIntact(path: string): Promise<OpenedStore> {
  const opened = await openFileStore(path)
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

/** Returns the files with a lock whose process is dead. */
function asKilled(files: Files): Files {
  const lock = JSON.parse(String(files.get('state.json.lock')))
  return new Map([...files, ['state.json.lock', Buffer.from(JSON.stringify({ ...lock, pid: 0 }))]])
}

function readFiles(folder: string): Files {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
}

function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder)
  for (const [name, content] of files) writeFileSync(join(folder, name), content)
}

interface Target {
  readonly content: Buffer
  readonly name: string
  readonly state: KilledState
  readonly other: KilledState
  readonly chance: Chance
}

type Damage = readonly [kind: string, damage: (target: Target) => Buffer | undefined]
type Parts = readonly [before: Buffer, left: Buffer, right: Buffer, after: Buffer]

/** Puts the four parts between three positions together again in another way. */
const rearranged = (kind: string, join: (...parts: Parts) => readonly Buffer[]): Damage => [
  kind,
  ({ content, chance }) => {
    const places = Array.from({ length: 3 }, () => pick(chance, content.length + 1)).sort((one, other) => one - other)
    const [a = 0, b = 0, c = 0] = places
    const parts: Parts = [content.subarray(0, a), content.subarray(a, b), content.subarray(b, c), content.subarray(c)]
    return Buffer.concat(join(...parts))
  },
]

function flipBits({ content, chance }: Target, count: number): Buffer {
  const changed = Buffer.from(content)
  for (let index = 0; index < count; index += 1) {
    const at = pick(chance, content.length)
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << pick(chance, 8)), at)
  }
  return changed
}

/** The kinds of damage. Each returns undefined if it cannot be tried on the file. */
const damages: readonly [Damage, ...Damage[]] = [
  ['a flipped bit', (target) => flipBits(target, 1)],
  ['a flipped bit', (target) => flipBits(target, 1)],
  ['flipped bits', (target) => flipBits(target, 2 + pick(target.chance, 8))],
  ['a cut', ({ content, chance }) => content.subarray(0, pick(chance, content.length))],
  [
    'a cut between lines',
    ({ content, chance }) => content.subarray(0, content.indexOf(0x0a, pick(chance, content.length)) + 1),
  ],
  rearranged('swapped parts', (before, left, right, after) => [before, right, left, after]),
  [
    'swapped lines',
    ({ content, chance }) => {
      const lines = content.toString('latin1').split('\n')
      const [a, b] = [pick(chance, lines.length - 1), pick(chance, lines.length - 1)]
      const swapped = lines.map((line, index) => (index === a ? lines[b] : index === b ? lines[a] : line))
      return Buffer.from(swapped.join('\n'), 'latin1')
    },
  ],
  rearranged('a repeated part', (before, left, right, after) => [before, left, left, right, after]),
  rearranged('a missing part', (before, _, right, after) => [before, right, after]),
  rearranged('zeros', (before, left, right, after) => [before, Buffer.alloc(left.length), right, after]),
  ['zeros at the end', ({ content, chance }) => Buffer.concat([content, Buffer.alloc(1 + pick(chance, 9))])],
  ['the file of another history', ({ name, other }) => other.files.get(name)],
  ['an earlier file', ({ name, state }) => state.earlier.get(name)],
]
