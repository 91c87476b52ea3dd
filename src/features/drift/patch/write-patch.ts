import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import { applyOverlay } from '../../../base/documents/overlay.ts'
import { writeYaml } from '../../../base/documents/parse.ts'
import { checkOverlay } from '../../../base/documents/read-overlay.ts'
import type { Source } from '../../../base/documents/source.ts'
import { redactToken } from '../../../base/redaction/redact-token.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { mayOverwrite, writeReportFile } from '../../../server/reports/report-file.ts'
import { splitList } from '../../../server/settings/setting.ts'
import { buildContract, readOverlaid } from '../../../service/contract/load.ts'
import { bundledContract } from '../../../service/fixtures/bundled.ts'
import { describePlace } from '../judge/drift-page.ts'
import type { DriftReport } from '../judge/finding.ts'
import { type DriftInput, judgeDrift } from '../judge/judge.ts'
import { rebindResponses } from '../observe/response.ts'
import type { DriftSettings } from '../settings.ts'
import { patchMark } from './overlay.ts'
import { createPatch } from './patch.ts'

type ContractFiles = Pick<DriftSettings, 'contract' | 'overlay' | 'patch'>

/** Finds out before anything is sent that the patch could not be written, or would replace another file. */
export async function findPatchProblem({ patch }: ContractFiles): Promise<string | undefined> {
  if (patch === undefined) return undefined
  const folder = await stat(dirname(patch)).catch(() => undefined)
  if (!folder?.isDirectory()) return `--patch ${patch}: there is no folder ${dirname(patch)}. Make it first.`
  const isPatch = (beginning: string) =>
    /^(overlay: |\{\s*"overlay": )/.test(beginning) && beginning.includes(patchMark)
  if (!(await mayOverwrite(patch, isPatch)))
    return `--patch: ${patch} is no patch of convsim drift, and would be lost. Name another file, or delete it first.`
  return undefined
}

/** Writes the overlay that removes the drift, and returns lines about it. The error lists what prevents it. */
export async function writePatch(
  report: DriftReport,
  input: DriftInput,
  file: string,
  { contract = bundledContract, overlay: overlays }: ContractFiles,
): Promise<Result<string[], Findings>> {
  const source = await readOverlaid(contract, splitList(overlays))
  if (!source.ok) return source
  const document = source.value.value
  if (!isObject(document)) return failWith(contract, 'is not an OpenAPI document')
  const patch = await createPatch(document, report, async (overlay) => {
    const changed = await changeDocument(source.value, overlay)
    const built = changed.ok ? await buildContract(toSource(contract, changed.value)) : changed
    if (!built.ok) return built
    const responses = rebindResponses(input.responses, built.value)
    return success(judgeDrift(built.value, { ...input, responses }))
  })
  if (!patch.ok) return patch
  const { edits, overlay, left, omitted } = patch.value
  const lines = left.map(({ finding, reason }) => `not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  if (edits.length === 0) return success(lines)
  const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : writeYaml(overlay)
  const failed = await writeReportFile(file, redactToken(text, input.token))
  if (failed !== undefined) return failWith('--patch', failed.replace('--report ', ''))
  const count = left.length + omitted
  const proof = count === 0 ? 'show no drift' : `still show ${pluralize(count, 'difference')}`
  return success([`the patch is in ${file}; with it the same responses ${proof}.`, ...lines])
}

const failWith = (place: string, message: string) => failure<Findings>([{ severity: 'error', place, message }])

const toSource = (file: string, value: JsonObject): Source => ({
  file,
  value: structuredClone(value),
  place: (pointer) => `${file}#${pointer}`,
})

/** Applies the overlay as `--overlay` does, so that what is proved is what is written. */
async function changeDocument(source: Source, overlay: JsonObject): Promise<Result<JsonObject, Findings>> {
  const checked = await checkOverlay(toSource('the patch', overlay))
  if (!checked.ok) return checked
  const applied = applyOverlay(source, checked.value)
  if (!applied.ok) return applied
  const { value } = applied.value
  return isObject(value) ? success(value) : failWith('the patch', 'makes no OpenAPI document')
}
