import { splitFiles } from '../config/document-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ChangeLevel, ContractChange } from '../contract/diff/change.ts'
import { changeLevels, diffContracts } from '../contract/diff/diff.ts'
import { buildContract, readOverlaid } from '../contract/load.ts'
import { escapeControls } from '../core/escape-controls.ts'
import type { JsonObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { type Findings, formatFinding } from '../documents/finding.ts'
import { formatWorkflowCommand, locate } from './check-format.ts'

/** A document of the comparison. */
interface DiffSide {
  readonly file: string
  readonly document: JsonObject
  /** Returns the place of a JSON pointer: `spec/openapi.yaml:12:5`. */
  readonly place: (pointer: string) => string
}

/** The two documents, and their changes. */
interface ContractDiff {
  readonly old: DiffSide
  readonly new: DiffSide
  readonly changes: readonly ContractChange[]
}

type Print = (text: string) => void

/**
 * Runs `convsim contract diff OLD NEW`. Returns the exit code: 0 if no change breaks clients, 3 if one does, 1 if a document cannot be read.
 * `words`: the arguments after `contract`.
 */
export async function runContractCommand(
  words: readonly string[],
  { overlay, format }: Pick<Settings, 'overlay' | 'format'>,
  print: Print,
  printError: Print,
): Promise<number> {
  const [action, oldFile, newFile] = words
  if (action !== 'diff' || oldFile === undefined || newFile === undefined) {
    printError('convsim contract takes "diff" and two documents: convsim contract diff old.yaml new.yaml.')
    return 1
  }
  const [old, present] = await Promise.all([loadSide(oldFile, []), loadSide(newFile, splitFiles(overlay))])
  if (!old.ok || !present.ok) {
    const findings = [old, present].flatMap((side) => (side.ok ? [] : side.error))
    const lines = findings.map((finding) => escapeControls(formatFinding(finding)))
    printError(`convsim contract diff: a document cannot be read:\n${lines.join('\n')}`)
    return 1
  }
  const changes = diffContracts(old.value.document, present.value.document).map(escapeNames)
  print(formats[format]({ old: old.value, new: present.value, changes }))
  return changes.some(({ level }) => level === 'breaking') ? 3 : 0
}

/** Escapes the control characters in names of a document: a terminal carries them out, and a line of GitHub ends at a line break. */
function escapeNames({ operations, message, ...change }: ContractChange): ContractChange {
  return { ...change, operations: operations.map(escapeControls), message: escapeControls(message) }
}

async function loadSide(file: string, overlays: readonly string[]): Promise<Result<DiffSide, Findings>> {
  const source = await readOverlaid(file, overlays)
  if (!source.ok) return source
  const contract = await buildContract(source.value, { responses: false })
  if (!contract.ok) return failure(contract.error)
  return success({ file, document: contract.value.document, place: source.value.place })
}

const formats: Readonly<Record<Settings['format'], (diff: ContractDiff) => string>> = {
  text: (diff) =>
    [...diff.changes.map((change) => `  ${formatChange(diff, change)}`), formatSummary(diff)].join('\n'),
  json: formatAsJson,
  markdown: (diff) =>
    [
      ...diff.changes.map(
        (change) => `- **${change.level}** \`${placeOf(diff, change)}\`: ${describe(change)}`,
      ),
      '',
      formatSummary(diff),
    ].join('\n'),
  github: (diff) =>
    [
      ...diff.changes.map((change) =>
        formatWorkflowCommand(severities[change.level], placeOf(diff, change), describe(change)),
      ),
      formatSummary(diff),
    ].join('\n'),
}

const severities = { breaking: 'error', risky: 'warning', compatible: 'notice' } as const

/** Returns `new.yaml:12:5: breaking: createEvent: the request body /value is required (old.yaml:10:3)`. */
function formatChange(diff: ContractDiff, change: ContractChange): string {
  const before =
    change.new === undefined || change.old === undefined ? '' : ` (${diff.old.place(change.old)})`
  return `${placeOf(diff, change)}: ${change.level}: ${describe(change)}${before}`
}

function describe({ operations, message }: ContractChange): string {
  return operations.length === 0 ? message : `${operations.join(', ')}: ${message}`
}

/** Returns the place in the new document; in the old one for something that is gone. */
function placeOf(diff: ContractDiff, change: ContractChange): string {
  return change.new === undefined ? diff.old.place(change.old ?? '') : diff.new.place(change.new)
}

function formatSummary({ old, new: present, changes }: ContractDiff): string {
  const counts = countLevels(changes).filter(([, count]) => count > 0)
  const text = counts.map(([level, count]) => `${count} ${level}`).join(', ')
  return `${old.file} -> ${present.file}: ${text || 'no changes that clients see'}`
}

function countLevels(changes: readonly ContractChange[]): [ChangeLevel, number][] {
  return changeLevels.map((level) => [level, changes.filter((change) => change.level === level).length])
}

function formatAsJson(diff: ContractDiff): string {
  const at = (side: DiffSide, pointer: string | undefined) =>
    pointer === undefined ? null : { pointer, ...locate(side.place(pointer)) }
  const changes = diff.changes.map(({ level, kind, operations, message, old, new: present }) => ({
    level,
    kind,
    operations,
    message,
    old: at(diff.old, old),
    new: at(diff.new, present),
  }))
  const breaks = changes.some(({ level }) => level === 'breaking')
  return JSON.stringify({ breaks, counts: Object.fromEntries(countLevels(diff.changes)), changes }, null, 2)
}
