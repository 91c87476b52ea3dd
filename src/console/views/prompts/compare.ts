import type { Schema } from '../../api/answers.ts'
import { asText } from '../../ui/text.ts'
import { type DiffStep, diffTexts } from './diff.ts'

/** A piece of a line: a word, a space or a placeholder. */
export interface DiffWord {
  readonly text: string
  /** True: the other version does not have it in this line. */
  readonly isChanged: boolean
}

/** A line of a version. */
export interface DiffLine {
  readonly isHead: boolean
  readonly words: readonly DiffWord[]
}

/** A line of each of two versions, side by side. Undefined: the version has no such line. */
export interface LinePair {
  readonly isSame: boolean
  readonly left: DiffLine | undefined
  readonly right: DiffLine | undefined
}

/** The fields that the simulator adds to a version, and the components, which have lines of their own. */
const ownFields = ['versionId', 'version', 'fingerprint', 'active', 'createdAt', 'variables', 'components']

/** Stands before a line that begins a component, so that no line of a text equals it. */
const headMark = '\0'

/** Returns a version as lines: one for each field, then those of each component under a head with its fields. */
function listLines(version: Schema<'PromptVersion'>): string[] {
  const fields = Object.entries(version).filter(([name]) => !ownFields.includes(name))
  const components = version.components.flatMap(({ componentId: _, content, ...others }) => [
    [`${headMark}Component`, ...Object.entries(others).map(formatField)].join(' · '),
    ...asText(content).split('\n'),
  ])
  return [`${headMark}Request`, ...fields.map(formatField), ...components]
}

const formatField = ([name, value]: [string, unknown]) => `${name}: ${asText(value)}`

/** Compares two versions by line, and the changed lines by word. */
export function compareVersions(left: Schema<'PromptVersion'>, right: Schema<'PromptVersion'>): readonly LinePair[] {
  const pairs: LinePair[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) pairs.push(compareLines(removed[at], added[at]))
    removed = []
    added = []
  }
  for (const { kind, text } of diffTexts(listLines(left), listLines(right))) {
    if (kind === 'removed') removed.push(text)
    else if (kind === 'added') added.push(text)
    else {
      flush()
      const line = toLine(text, toSame(splitWords(text)))
      pairs.push({ isSame: true, left: line, right: line })
    }
  }
  flush()
  return pairs
}

/** Splits a line into placeholders, words, spaces and single signs. */
const splitWords = (text: string) => text.match(/\{\{[^{}]*\}\}|[\p{L}\p{N}_]+|\s+|./gu) ?? []

const toSame = (words: readonly string[]): DiffStep[] => words.map((text) => ({ kind: 'same', text }))

function compareLines(left: string | undefined, right: string | undefined): LinePair {
  if (left === undefined || right === undefined) {
    const only = (text: string | undefined) => (text === undefined ? undefined : toLine(text, toSame(splitWords(text))))
    return { isSame: false, left: only(left), right: only(right) }
  }
  const steps = diffTexts(splitWords(left), splitWords(right))
  // Two lines that have little in common are easier to read without a mark at each word.
  const common = steps.filter(({ kind, text }) => kind === 'same' && text.trim() !== '').length
  const isAlike = common * 4 >= steps.length
  const side = (own: DiffStep['kind'], text: string) =>
    toLine(text, isAlike ? steps.filter(({ kind }) => kind === 'same' || kind === own) : toSame(splitWords(text)))
  return { isSame: false, left: side('removed', left), right: side('added', right) }
}

/** Returns a line of its words. Neighbours that are marked alike become one, placeholders excepted. */
function toLine(text: string, steps: readonly DiffStep[]): DiffLine {
  const words: DiffWord[] = []
  for (const step of steps) {
    const isChanged = step.kind !== 'same'
    const last = words.at(-1)
    if (last?.isChanged === isChanged && !isPlaceholder(last.text) && !isPlaceholder(step.text))
      words[words.length - 1] = { text: last.text + step.text, isChanged }
    else words.push({ text: step.text, isChanged })
  }
  if (!text.startsWith(headMark)) return { isHead: false, words }
  return { isHead: true, words: words.map((word) => ({ ...word, text: word.text.replace(headMark, '') })) }
}

/** Returns true for a placeholder: `{{name}}`. */
export const isPlaceholder = (text: string): boolean => /^\{\{.+\}\}$/s.test(text)

/** A run of equal lines that is left out, or a pair of lines. */
export type ShownLine = LinePair | { readonly skipped: number }

/** The equal lines that are shown before and after a change. */
const contextLines = 3

/** Leaves out equal lines that are far from a change. */
export function foldEqualLines(pairs: readonly LinePair[]): readonly ShownLine[] {
  const near = new Uint8Array(pairs.length)
  for (const [at, { isSame }] of pairs.entries())
    if (!isSame) near.fill(1, Math.max(0, at - contextLines), at + contextLines + 1)
  const shown: ShownLine[] = []
  for (const [at, pair] of pairs.entries()) {
    const last = shown.at(-1)
    if (near[at]) shown.push(pair)
    else if (last && 'skipped' in last) shown[shown.length - 1] = { skipped: last.skipped + 1 }
    else shown.push({ skipped: 1 })
  }
  return shown
}
