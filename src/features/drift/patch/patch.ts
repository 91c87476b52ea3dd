import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { type Result, success } from '../../../base/core/result.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import { applyOverlay } from '../../../base/documents/overlay.ts'
import { checkOverlay } from '../../../base/documents/read-overlay.ts'
import type { Source } from '../../../base/documents/source.ts'
import type { DriftFinding } from '../judge/finding.ts'
import type { DriftReport } from '../judge/judge.ts'
import { type ContractChange, planChanges } from './plan-changes.ts'

interface DriftPatch {
  /** Undefined if no change removes a difference. */
  readonly overlay: JsonObject | undefined
  /** The listed differences that are left after the change, each with the reason. */
  readonly left: readonly { readonly finding: DriftFinding; readonly reason: string }[]
  /** The number of differences that are left and not listed. */
  readonly omitted: number
}

/** The most rounds: a change can show a difference that another one hid, such as the members of a new field. */
const maxRounds = 5

/** A change, and the finding for which it was planned. */
interface Step {
  readonly key: string
  readonly change: ContractChange
}

/** Changes that were tried, with the differences that are left after them. */
interface Attempt extends Pick<DriftReport, 'findings' | 'omitted'> {
  readonly steps: readonly Step[]
  readonly patched: Source
}

type TryOut = (steps: readonly Step[]) => Promise<Result<Attempt, Findings>>

/** Proposes a change of the contract and proves it: `judge` compares the same responses with a changed contract. */
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
      const reason = `It is left after ${maxRounds} rounds of changes.`
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

/** Plans a change for each finding that is left, in the contract as the earlier changes have made it. */
async function planRound({ steps: earlier, patched: before, findings }: Attempt) {
  const left: DriftPatch['left'][number][] = []
  const steps = [...earlier]
  const known = new Set(earlier.map(({ change }) => JSON.stringify(change)))
  let patched = before
  for (const finding of findings) {
    const planned = planChanges(patched.value as JsonObject, finding) // changes keep the root an object
    const added = planned.ok ? planned.value.filter((change) => !known.has(JSON.stringify(change))) : []
    if (added.length === 0) {
      left.push({ finding, reason: planned.ok ? 'The change at its place does not remove it.' : planned.error })
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

/** Drops the changes in spite of which their findings are left, if no more is left without them. */
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

/** Changes a contract as `--overlay` does, so that what is proved is what is written. */
async function applySteps(source: Source, steps: readonly Step[]): Promise<Result<Source, Findings>> {
  if (steps.length === 0) return success(source)
  const file = 'the patch'
  const value = createOverlay(source, steps)
  const checked = await checkOverlay({ file, value, place: (pointer) => `${file}#${pointer}` })
  return checked.ok ? applyOverlay(source, checked.value) : checked
}

/** The end of the title of an overlay that `convsim drift` has written. */
export const patchMark = ', found by convsim drift'

function createOverlay({ value: document }: Source, steps: readonly Step[]): JsonObject {
  const { title, version } = isObject(document) && isObject(document.info) ? document.info : {}
  return {
    overlay: '1.1.0',
    info: { title: `Differences of ${String(title ?? 'the service')}${patchMark}`, version: String(version ?? '1') },
    actions: steps.flatMap(({ change }) => change),
  }
}
