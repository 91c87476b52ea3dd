import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import { writeYaml } from '../../../base/documents/parse.ts'
import { redactToken } from '../../../base/redaction/redact-token.ts'
import { findTargetProblem, mayOverwrite, writeReportFile } from '../../../server/reports/formats/index.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { splitList } from '../../../server/settings/setting.ts'
import { buildContract, readOverlaid } from '../../../service/contract/load.ts'
import { bundledContract } from '../../../service/fixtures/bundled.ts'
import { describePlace } from '../judge/drift-page.ts'
import { type DriftInput, type DriftReport, judgeDrift } from '../judge/judge.ts'
import type { DriftSettings } from '../settings.ts'
import { createPatch, patchMark } from './patch.ts'

type PatchSettings = Pick<DriftSettings, 'contract' | 'overlay' | 'patch'>

/** Finds out before anything is sent that the patch could not be written, or would replace another file. */
export async function findPatchProblem({ patch }: PatchSettings): Promise<string | undefined> {
  if (patch === undefined) return undefined
  const problem = await findTargetProblem(patch)
  if (problem !== undefined) return `--patch ${patch}: ${problem}`
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
  const patch = await createPatch(source.value, report, async (patched) => {
    // A build changes the document in place, and further changes are planned in the document as it is read.
    const built = await buildContract({ ...patched, value: structuredClone(patched.value) })
    return built.ok ? success(judgeDrift(built.value, input)) : built
  })
  if (!patch.ok) return patch
  const { overlay, left, omitted } = patch.value
  const lines = left.map(({ finding, reason }) => `not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  if (!overlay) return success(lines)
  const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : writeYaml(overlay)
  const failed = await writeReportFile(file, redactToken(text, input.token))
  if (failed !== undefined)
    return failure([{ severity: 'error', place: '--patch', message: failed.replace('--report ', '') }])
  const count = left.length + omitted
  const proof = count === 0 ? 'show no drift' : `still show ${pluralize(count, 'difference')}`
  return success([`the patch is in ${file}; with it the same responses ${proof}.`, ...lines])
}
