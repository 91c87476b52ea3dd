import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JsonObject } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import { applyOverlay } from '../../../base/documents/overlay.ts'
import { writeYaml } from '../../../base/documents/parse.ts'
import { checkOverlay } from '../../../base/documents/read-overlay.ts'
import type { Source } from '../../../base/documents/source.ts'
import { redactToken } from '../../../base/redaction/redact-token.ts'
import { mayOverwrite, writeReportFile } from '../../../server/reports/formats/index.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { splitList } from '../../../server/settings/setting.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import { buildContract, readOverlaid } from '../../../service/contract/load.ts'
import { bundledContract } from '../../../service/fixtures/bundled.ts'
import { describePlace } from '../judge/drift-page.ts'
import type { DriftReport } from '../judge/finding.ts'
import { type DriftInput, judgeDrift } from '../judge/judge.ts'
import type { DriftSettings } from '../settings.ts'
import { createPatch, patchMark } from './patch.ts'

type PatchSettings = Pick<DriftSettings, 'contract' | 'overlay' | 'patch'>

/** Finds out before anything is sent that the patch could not be written, or would replace another file. */
export async function findPatchProblem({ patch }: PatchSettings): Promise<string | undefined> {
  if (patch === undefined) return undefined
  const folder = await stat(dirname(patch)).catch(() => undefined)
  if (!folder?.isDirectory()) return `--patch ${patch}: there is no folder ${dirname(patch)}. Make it first.`
  const isPatch = (beginning: string) =>
    /^(overlay: |\{\s*"overlay": )/.test(beginning) && beginning.includes(patchMark)
  if (await mayOverwrite(patch, isPatch)) return undefined
  return `--patch: ${patch} is no patch of convsim drift, and would be lost. Name another file, or delete it first.`
}

/** Writes the overlay that removes the drift, if `--patch` names a file. Returns lines about it. */
export async function proposePatch(
  report: DriftReport,
  input: DriftInput,
  { contract = bundledContract, overlay: overlays, patch: file }: PatchSettings,
): Promise<Result<string[], Findings>> {
  if (file === undefined) return success([])
  if (report.verdict === 'not-judged') return success(['too little could be judged, so --patch writes nothing.'])
  if (report.verdict === 'same') return success(['there is no drift, so --patch writes nothing.'])
  const source = await readOverlaid(contract, splitList(overlays))
  if (!source.ok) return source
  const document = source.value.value as JsonObject // the simulator has loaded it
  const patch = await createPatch(document, report, async (overlay) => {
    const built = await buildPatched(source.value, overlay)
    return built.ok ? success(judgeDrift(built.value, input)) : built
  })
  if (!patch.ok) return patch
  const { edits, overlay, left, omitted } = patch.value
  const lines = left.map(({ finding, reason }) => `not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  if (edits.length === 0) return success(lines)
  const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : writeYaml(overlay)
  const failed = await writeReportFile(file, redactToken(text, input.token))
  if (failed !== undefined)
    return failure([{ severity: 'error', place: '--patch', message: failed.replace('--report ', '') }])
  const count = left.length + omitted
  const proof = count === 0 ? 'show no drift' : `still show ${pluralize(count, 'difference')}`
  return success([`the patch is in ${file}; with it the same responses ${proof}.`, ...lines])
}

/** Builds a contract with an overlay as `--overlay` does, so that what is proved is what is written. */
async function buildPatched(source: Source, overlay: JsonObject): Promise<Result<Contract, Findings>> {
  const file = 'the patch'
  const checked = await checkOverlay({ file, value: overlay, place: (pointer) => `${file}#${pointer}` })
  if (!checked.ok) return checked
  const applied = applyOverlay(source, checked.value)
  return applied.ok ? buildContract(applied.value) : applied
}
