import { readFile, stat } from 'node:fs/promises'
import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { failure, type Result, reasonOf, success } from '../../../base/core/result.ts'
import { applyOverlay } from '../../../base/documents/overlay.ts'
import { formatYaml } from '../../../base/documents/parse.ts'
import { checkOverlay } from '../../../base/documents/read-overlay.ts'
import type { Findings, Source } from '../../../base/documents/source.ts'
import { redactToken } from '../../../base/redaction/redact-token.ts'
import { findTargetProblem, writeReportFile } from '../../../server/reports/formats/index.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { listOverlays } from '../../../server/settings/library-settings.ts'
import { buildContract, readWithOverlays } from '../../../service/contract/load.ts'
import { bundledContract } from '../../../service/fixtures/bundled.ts'
import { describePlace } from '../judge/drift-page.ts'
import type { DriftFinding } from '../judge/finding.ts'
import { type DriftInput, type DriftReport, judgeDrift } from '../judge/judge.ts'
import type { DriftSettings } from '../settings.ts'
import { type ContractChange, planChanges } from './plan-changes.ts'

type PatchSettings = Pick<DriftSettings, 'contract' | 'overlay' | 'patch'>

/** Checks, before anything is sent, that the patch can be written without replacing an unrelated file. */
export async function findPatchProblem({ patch }: PatchSettings): Promise<string | undefined> {
  if (patch === undefined) return undefined
  const problem = await findTargetProblem(patch)
  if (problem !== undefined) return `--patch ${patch}: ${problem}`
  const found = await stat(patch).catch(() => undefined)
  if (!found?.isFile() || found.size === 0) return undefined // a device is also a valid target
  const content = await readFile(patch, 'utf8').catch(reasonOf)
  if (/^(overlay: |\{\s*"overlay": )/.test(content) && content.includes(patchMark)) return undefined
  return `--patch: ${patch} was not written by convsim drift, so it is not overwritten. Delete it or pass another file.`
}

/** If `--patch` is set, writes an overlay that removes as much drift as possible. Returns the lines to print. */
export async function proposePatch(
  report: DriftReport,
  input: DriftInput,
  { contract = bundledContract, overlay: overlays, patch: file }: PatchSettings,
): Promise<Result<string[], Findings>> {
  if (file === undefined) return success([])
  if (report.verdict === 'not-judged') return success(['too few responses could be judged, so no patch was written.'])
  if (report.verdict === 'same') return success(['there is no drift, so no patch was written.'])
  const source = await readWithOverlays(contract, listOverlays(overlays))
  if (!source.ok) return source
  const patch = await createPatch(source.value, report, async (patched) => {
    // Building a contract changes the document in place, but the next round needs the document unchanged.
    const built = await buildContract({ ...patched, value: structuredClone(patched.value) })
    return built.ok ? success(judgeDrift(built.value, input)) : built
  })
  if (!patch.ok) return patch
  const { overlay, left, omitted } = patch.value
  const lines = left.map(({ finding, reason }) => `not patched: ${finding.kind}: ${describePlace(finding)}: ${reason}`)
  if (!overlay) return success(lines)
  const text = file.endsWith('.json') ? `${JSON.stringify(overlay, null, 2)}\n` : formatYaml(overlay)
  const failed = await writeReportFile(file, redactToken(text, input.token))
  if (failed !== undefined)
    return failure([{ severity: 'error', place: '--patch', message: failed.replace('--report ', '') }])
  const count = left.length + omitted
  const proof = count === 0 ? 'show no drift' : `still show ${pluralize(count, 'difference')}`
  return success([`wrote the patch to ${file}; with it, the same responses ${proof}.`, ...lines])
}

interface DriftPatch {
  /** Undefined if no change removes any difference. */
  readonly overlay: JsonObject | undefined
  /** The listed differences that remain after the patch, each with the reason. */
  readonly left: readonly { readonly finding: DriftFinding; readonly reason: string }[]
  readonly omitted: number
}

/** The maximum number of rounds of changes. A change can reveal more differences, for example in a new field. */
const maxRounds = 5

interface Step {
  readonly key: string
  readonly change: ContractChange
}

/** Changes that were tested, and the differences that remain. */
interface Attempt extends Pick<DriftReport, 'findings' | 'omitted'> {
  readonly steps: readonly Step[]
  readonly patched: Source
}

type TryOut = (steps: readonly Step[]) => Promise<Result<Attempt, Findings>>

/** Proposes changes to the contract and tests them: `judge` compares the same responses with the changed contract. */
export async function createPatch(
  source: Source,
  report: Pick<DriftReport, 'findings' | 'omitted'>,
  judge: (patched: Source) => Promise<Result<DriftReport, Findings>>,
): Promise<Result<DriftPatch, Findings>> {
  const tryOut: TryOut = async (steps) => {
    const patched = await applySteps(source, steps)
    if (!patched.ok) return patched
    const judged = await judge(patched.value)
    return judged.ok ? success({ ...judged.value, steps, patched: patched.value }) : judged
  }
  let attempt: Attempt = { ...report, steps: [], patched: source }
  let left: DriftPatch['left'] = []
  for (let round = 0; ; round += 1) {
    const planned = await planRound(attempt)
    if (!planned.ok) return planned
    left = planned.value.left
    if (planned.value.steps.length === attempt.steps.length) break
    if (round === maxRounds) {
      const reason = `This difference remains after ${maxRounds} rounds of changes.`
      left = attempt.findings.map((finding) => ({ finding, reason }))
      break
    }
    const tried = await tryOut(planned.value.steps)
    if (!tried.ok) return tried
    attempt = tried.value
  }
  attempt = await dropUseless(attempt, tryOut)
  const overlay = attempt.steps.length > 0 ? createOverlay(source, attempt.steps) : undefined
  return success({ overlay, left, omitted: attempt.omitted })
}

/** Plans a change for each remaining finding, based on the contract with all earlier changes. */
async function planRound({ steps: earlier, patched: before, findings }: Attempt) {
  const left: DriftPatch['left'][number][] = []
  const steps = [...earlier]
  const known = new Set(earlier.map(({ change }) => JSON.stringify(change)))
  let patched = before
  for (const finding of findings) {
    const planned = planChanges(patched.value as JsonObject, finding) // the root is always an object
    const added = planned.ok ? planned.value.filter((change) => !known.has(JSON.stringify(change))) : []
    if (added.length === 0) {
      left.push({ finding, reason: planned.ok ? 'Changing the schema does not fix this difference.' : planned.error })
      continue
    }
    const own = added.map((change): Step => ({ key: findingKey(finding), change }))
    const applied = await applySteps(patched, own)
    if (!applied.ok) return applied
    patched = applied.value
    steps.push(...own)
    for (const change of added) known.add(JSON.stringify(change))
  }
  return success({ steps, left })
}

/** Drops changes that do not remove their findings, unless dropping them leaves more findings. */
async function dropUseless(attempt: Attempt, tryOut: TryOut): Promise<Attempt> {
  const leftKeys = new Set(attempt.findings.map(findingKey))
  const useful = attempt.steps.filter(({ key }) => !leftKeys.has(key))
  if (useful.length === attempt.steps.length) return attempt
  const tried = await tryOut(useful)
  return tried.ok && countLeft(tried.value) <= countLeft(attempt) ? tried.value : attempt
}

const countLeft = ({ findings, omitted }: Attempt) => findings.length + omitted

const findingKey = ({ operation, status, pointer, kind, detail }: DriftFinding) =>
  JSON.stringify([operation.id, status, pointer, kind, detail])

/** Applies the changes as `--overlay` would, so that the test result also holds for the written patch. */
async function applySteps(source: Source, steps: readonly Step[]): Promise<Result<Source, Findings>> {
  if (steps.length === 0) return success(source)
  const file = 'the patch'
  const value = createOverlay(source, steps)
  const checked = await checkOverlay({ file, value, locate: (pointer) => `${file}#${pointer}` })
  return checked.ok ? applyOverlay(source, checked.value) : checked
}

/** The ending of the title that `convsim drift` gives its overlays. */
const patchMark = ', found by convsim drift'

function createOverlay({ value: document }: Source, steps: readonly Step[]): JsonObject {
  const { title, version } = isObject(document) && isObject(document.info) ? document.info : {}
  return {
    overlay: '1.1.0',
    info: { title: `Differences from ${String(title ?? 'the service')}${patchMark}`, version: String(version ?? '1') },
    actions: steps.flatMap(({ change }) => change),
  }
}
