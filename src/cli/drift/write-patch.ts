import { readFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative } from 'node:path'
import { splitFiles } from '../../config/document-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { buildContract, readOverlaid } from '../../contract/load.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { isSameJson } from '../../core/same-json.ts'
import { editYaml } from '../../documents/edit-yaml.ts'
import type { Finding, Findings } from '../../documents/finding.ts'
import { applyOverlay } from '../../documents/overlay.ts'
import { parseSource } from '../../documents/parse.ts'
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
import { diffFileOf } from './patch-file.ts'

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
  if (edits.length > 0) {
    const { texts, sentence } = await renderPatch(patch.value, file, documentFile, overlays.length > 0)
    for (const [name, text] of texts) {
      const failed = await writeReportFile(name, redactToken(text, input.token))
      if (failed !== undefined) return [problem('--patch', failed.replace('--report ', ''))]
    }
    const names = texts.map(([name]) => name).join(' and ')
    printError(`convsim drift: the patch is in ${names}; ${describeProof(left.length)}`)
    printError(`convsim drift: ${sentence}`)
  }
  for (const { finding, reason } of left)
    printError(`convsim drift: not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  return undefined
}

/** The files of a patch with their texts, and a sentence about the diff. */
interface RenderedPatch {
  readonly texts: readonly (readonly [file: string, text: string])[]
  readonly sentence: string
}

/** Writes the overlay, and the diff if there is one: it changes the document itself, which does not have what another overlay adds. */
async function renderPatch(
  patch: DriftPatch,
  file: string,
  documentFile: string,
  isOverlaid: boolean,
): Promise<RenderedPatch> {
  const { overlay, edits } = patch
  const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : writeYaml(overlay)
  const texts = [[file, text]] as const
  if (isOverlaid)
    return { texts, sentence: 'there is no diff, since the patch stands on what --overlay adds.' }
  const before = await readFile(documentFile, 'utf8')
  const after = editYaml(before, edits)
  // Whoever applies the diff has to get the document that was proved.
  if (!after || !hasValue(after.text, patch.document))
    return { texts, sentence: `there is no diff: the changes have no place in the text of ${documentFile}.` }
  const place = placeOf(documentFile)
  const diff = diffFileOf(file)
  const apply = `apply the diff with: git${place.folder} apply < '${diff}'`
  const layout = after.keepsLayout
    ? ''
    : ' (a change has no place in the layout of the document, so the diff writes it anew)'
  return { texts: [...texts, [diff, createDiff(place.name, before, after.text)]], sentence: apply + layout }
}

/** Returns the name of a file in a diff, and the option of git for the folder in which it is applied. Neither git nor patch goes outside that folder. */
function placeOf(file: string): { readonly name: string; readonly folder: string } {
  const path = relative('', file).replaceAll('\\', '/')
  const isOutside = path.startsWith('..') || isAbsolute(path)
  return isOutside ? { name: basename(file), folder: ` -C '${dirname(file)}'` } : { name: path, folder: '' }
}

function hasValue(text: string, document: JsonObject): boolean {
  const parsed = parseSource(text, 'the diff')
  return parsed.ok && isSameJson(document, parsed.value.value)
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
