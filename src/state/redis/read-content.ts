import { deepFreeze } from '../clone.ts'
import { plainCollections } from '../collections/index.ts'
import type { PromptHead } from '../prompts.ts'
import { DEFAULT_QUALITY, type PromptVersion, type QualitySettings, type StoredPrompt } from '../records.ts'
import { StoreUnavailableError } from '../store.ts'
import { recordsField } from './keys.ts'
import { READ_CONTENT } from './lua/prompt-scripts.ts'
import { readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The bytes of the slices of a first reading. */
const SLICE_BYTES = 256 * 1024

/** The number of readings. Each has slices of twice the size, so that the last reads in one slice whatever changes. */
const MAX_READINGS = 11

/** Everything that a sandbox has but events, as it was at one moment. */
interface Content {
  readonly quality: QualitySettings
  readonly prompts: readonly StoredPrompt[]
  /** The plain records by the name of their collection. */
  readonly records: Readonly<Record<string, readonly object[]>>
  readonly cut: EventCut
}

/** The events of a moment, as they can be read later. */
export interface EventCut {
  /** The id of the open segment. Another one tells that the data were replaced. */
  readonly open: string
  /** The number of events. */
  readonly total: number
  /** The length of the open segment's log of replays. */
  readonly logged: number
}

/** Prompts and versions while they are read. */
interface ReadPrompt {
  readonly head: PromptHead
  readonly active: number
  readonly versions: PromptVersion[]
}

/** Reads the content of a sandbox in slices, between which others get their turn. */
export async function readContent(scripts: SandboxScripts, sandbox: string): Promise<Content> {
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const content = await readSlices(scripts, sandbox, SLICE_BYTES * 2 ** readings)
    if (content !== undefined) return content
  }
  throw new StoreUnavailableError(
    `The prompts of the sandbox "${sandbox}" kept changing while they were read; send the request again.`,
  )
}

/** Reads all slices. Returns undefined if the content was changed meanwhile. */
async function readSlices(scripts: SandboxScripts, sandbox: string, bytes: number): Promise<Content | undefined> {
  const plain = plainCollections().map(({ name }) => name)
  const prompts: ReadPrompt[] = []
  let first: readonly string[] | undefined
  for (let [place, version] = ['0', '0']; place !== ''; ) {
    const args = [place, version, bytes, ...plain.map(recordsField)]
    const reply = (await scripts.run(READ_CONTENT, sandbox, args)).map(String)
    first ??= reply
    if (first[0] !== reply[0] || first[1] !== reply[1]) return undefined
    place = reply[5] ?? ''
    version = reply[6] ?? ''
    addPrompts(sandbox, prompts, reply.slice(7 + plain.length))
  }
  const [open = '', , quality, total, logged, , , ...texts] = first ?? []
  return {
    quality: parseQuality(sandbox, quality),
    prompts: Object.freeze(prompts.map(finishPrompt)),
    records: Object.fromEntries(plain.map((name, index) => [name, parseRecords(sandbox, texts[index])])),
    cut: { open, total: Number(total), logged: Number(logged) },
  }
}

/** Parses quality settings. An empty text stands for those of a sandbox that never changed them. */
export function parseQuality(sandbox: string, text = ''): QualitySettings {
  return text === '' ? DEFAULT_QUALITY : deepFreeze(readJson<QualitySettings>(sandbox, 'quality settings', text))
}

/** Parses the records of a plain collection. */
export function parseRecords<Item extends object>(sandbox: string, text = ''): readonly Item[] {
  return text === '' ? [] : deepFreeze(readJson<Item[]>(sandbox, 'records', text))
}

/** Adds the prompts and versions of a slice, which may begin in the middle of a prompt. */
function addPrompts(sandbox: string, prompts: ReadPrompt[], texts: readonly string[]): void {
  for (let at = 0; at < texts.length; ) {
    if (texts[at] === 'prompt') {
      const head: PromptHead = readJson(sandbox, 'prompts', texts[at + 1])
      prompts.push({ head, active: Number(texts[at + 2]), versions: [] })
      at += 3
    } else {
      prompts.at(-1)?.versions.push(readJson(sandbox, 'prompts', texts[at + 1]))
      at += 2
    }
  }
}

function finishPrompt({ head, active, versions }: ReadPrompt): StoredPrompt {
  return deepFreeze({ ...head, versions: versions.map((each) => ({ ...each, active: each.version === active })) })
}
