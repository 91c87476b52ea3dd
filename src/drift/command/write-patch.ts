import { splitFiles } from '../../config/setting.ts'
import { buildContract, readOverlaid } from '../../contract/load.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Finding, Findings } from '../../documents/finding.ts'
import { applyOverlay } from '../../documents/overlay.ts'
import { writeYaml } from '../../documents/parse.ts'
import { checkOverlay } from '../../documents/read-overlay.ts'
import type { Source } from '../../documents/source.ts'
import { bundledContract } from '../../fixtures/bundled.ts'
import { redactToken } from '../../redaction/redact-token.ts'
import { writeReportFile } from '../../reports/report-file.ts'
import { rebindAnswers } from '../answer.ts'
import { describePlace } from '../describe.ts'
import type { DriftReport } from '../finding.ts'
import { type DriftInput, judgeDrift } from '../judge.ts'
import { createPatch } from '../patch.ts'
import type { DriftSettings } from './command.ts'

/**
 * Writes the change of the contract that removes the drift as an overlay. Returns the findings that prevent it, or undefined if it is written
 * or nothing has to be changed.
 */
export async function writePatch(
  report: DriftReport,
  input: DriftInput,
  file: string,
  settings: DriftSettings,
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
  const { edits, overlay, left, omitted } = patch.value
  if (edits.length > 0) {
    const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : writeYaml(overlay)
    const failed = await writeReportFile(file, redactToken(text, input.token))
    if (failed !== undefined) return [problem('--patch', failed.replace('--report ', ''))]
    printError(`convsim drift: the patch is in ${file}; ${describeProof(left.length + omitted)}`)
  }
  for (const { finding, reason } of left)
    printError(`convsim drift: not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  return undefined
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
