import { readFile } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { splitFiles } from '../../config/document-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { buildContract, readOverlaid } from '../../contract/load.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { editYaml } from '../../documents/edit-yaml.ts'
import type { Finding, Findings } from '../../documents/finding.ts'
import { applyOverlay } from '../../documents/overlay.ts'
import { checkOverlay } from '../../documents/read-overlay.ts'
import type { Source } from '../../documents/source.ts'
import { writeYaml } from '../../documents/write-yaml.ts'
import { rebindAnswers } from '../../drift/answer.ts'
import { describePlace } from '../../drift/describe.ts'
import { createDiff } from '../../drift/diff.ts'
import type { DriftReport } from '../../drift/finding.ts'
import { type DriftInput, judgeDrift } from '../../drift/judge.ts'
import { createPatch, type DriftPatch } from '../../drift/patch.ts'
import { bundledContract } from '../../fixtures/bundled.ts'
import { redactToken } from '../../journal/redact-token.ts'
import { writeReportFile } from '../../reports/report-file.ts'

/**
 * Writes the change of the contract that removes the drift: an overlay, and a diff of the document beside it. Returns the findings that prevent it;
 * undefined: none.
 */
export async function writePatch(
  report: DriftReport,
  input: DriftInput,
  file: string,
  settings: Settings,
  printError: (text: string) => unknown,
): Promise<Findings | undefined> {
  const overlays = splitFiles(settings.overlay)
  const documentFile = settings.contract ?? bundledContract
  const source = await readOverlaid(documentFile, overlays)
  if (!source.ok) return source.error
  const document = source.value.value
  if (!isObject(document)) return [problem(documentFile, 'is not an OpenAPI document')]
  const patch = await createPatch(document, report, {
    applyOverlay: (value, overlay) => changeDocument(source.value, value, overlay),
    load: (value) => buildContract(toSource(documentFile, value)),
    judge: (contract) => judgeDrift(contract, { ...input, answers: rebindAnswers(input.answers, contract) }),
  })
  if (!patch.ok) return patch.error
  const { edits, left } = patch.value
  const texts =
    edits.length === 0 ? [] : await renderPatch(patch.value, file, documentFile, overlays.length > 0)
  for (const [name, text] of texts) {
    const failed = await writeReportFile(name, redactToken(text, input.token))
    if (failed !== undefined) return [problem('--patch', failed.replace('--report ', ''))]
  }
  const names = texts.map(([name]) => name).join(' and ')
  if (names !== '') printError(`convsim drift: the patch is in ${names}; ${describeProof(left.length)}`)
  for (const { finding, reason } of left)
    printError(`convsim drift: not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  return undefined
}

/** Returns the files of a patch with their texts. A diff changes the document itself, which does not have what another overlay adds. */
async function renderPatch(
  { overlay, edits }: DriftPatch,
  file: string,
  documentFile: string,
  isOverlaid: boolean,
): Promise<(readonly [string, string])[]> {
  const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : writeYaml(overlay)
  if (isOverlaid) return [[file, text]]
  const before = await readFile(documentFile, 'utf8')
  const path = relative('', documentFile).replaceAll('\\', '/')
  // Neither git nor patch applies a diff to a file outside the working folder.
  const name = path.startsWith('..') ? basename(documentFile) : path
  return [
    [file, text],
    [`${file}.diff`, createDiff(name, before, editYaml(before, edits))],
  ]
}

function describeProof(left: number): string {
  if (left === 0) return 'with it the same answers show no drift.'
  return `with it the same answers still show ${left} ${left === 1 ? 'difference' : 'differences'}.`
}

const problem = (place: string, message: string): Finding => ({ severity: 'error', place, message })

const toSource = (file: string, value: JsonObject): Source => ({
  file,
  value: structuredClone(value),
  place: (pointer) => `${file}#${pointer}`,
})

/** Applies the overlay as `--overlay` does, so that what is proved is what is written. */
async function changeDocument(
  source: Source,
  value: JsonObject,
  overlay: JsonObject,
): Promise<Result<JsonObject, Findings>> {
  const checked = await checkOverlay(toSource('the patch', overlay))
  if (!checked.ok) return checked
  const applied = applyOverlay({ ...source, value }, checked.value)
  if (!applied.ok) return applied
  const changed = applied.value.value
  return isObject(changed) ? success(changed) : failure([problem('the patch', 'makes no OpenAPI document')])
}
