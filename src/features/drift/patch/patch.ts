import type { JsonObject } from '../../../base/core/json.ts'
import { type Result, success } from '../../../base/core/result.ts'
import { applyEdits, type Edit } from '../../../base/documents/edit.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import type { DriftFinding, DriftReport } from '../judge/finding.ts'
import { createOverlay } from './overlay.ts'
import { planEdits } from './plan-edits.ts'

/** A change of the contract that was tried on the same responses. */
interface DriftPatch {
  readonly edits: readonly Edit[]
  readonly overlay: JsonObject
  /** The differences that are left after the change, of those that the report lists, each with the reason. */
  readonly left: readonly UnpatchedFinding[]
  readonly omitted: number
}

interface UnpatchedFinding {
  readonly finding: DriftFinding
  readonly reason: string
}

/** Compares the same responses with the contract as an overlay changes it. */
type JudgePatched = (overlay: JsonObject) => Promise<Result<DriftReport, Findings>>

/** The most rounds: a change can show a difference that another one hid, such as the members of a new field. */
const maxRounds = 5

/** A change with the finding that asks for it. */
interface Step {
  readonly key: string
  readonly edit: Edit
}

/** Changes that were tried, with the differences that are left after them; `omitted`: the number of further ones. */
interface Attempt {
  readonly steps: readonly Step[]
  readonly findings: readonly DriftFinding[]
  readonly omitted: number
}

/** The most findings for which it is tried to do without their changes, each with a comparison of all responses. */
const maxDropTrials = 20

/** Proposes a change of the contract and proves it on the same responses. The error lists what is wrong with it. */
export async function createPatch(
  document: JsonObject,
  report: DriftReport,
  judge: JudgePatched,
): Promise<Result<DriftPatch, Findings>> {
  const tryOut = async (steps: readonly Step[]): Promise<Result<Attempt, Findings>> => {
    const judged = await judge(createOverlay(document, listEdits(steps)))
    return judged.ok ? success({ steps, ...listDrift(judged.value) }) : judged
  }
  let attempt: Attempt = { steps: [], ...listDrift(report) }
  let left: UnpatchedFinding[] = []
  for (let round = 1; attempt.findings.length > 0; round += 1) {
    const planned = planRound(document, attempt)
    if (planned.steps.length === 0 || round > maxRounds) {
      const reason = `It is left after ${maxRounds} rounds of changes.`
      left = round > maxRounds ? attempt.findings.map((finding) => ({ finding, reason })) : planned.left
      break
    }
    const tried = await tryOut([...attempt.steps, ...planned.steps])
    if (!tried.ok) return tried
    attempt = tried.value
  }
  const { steps, omitted } = await dropUseless(attempt, tryOut)
  const edits = listEdits(steps)
  return success({ edits, overlay: createOverlay(document, edits), left, omitted })
}

const listEdits = (steps: readonly Step[]) => steps.map(({ edit }) => edit)

const listDrift = ({ findings, omitted }: DriftReport) => ({
  findings: findings.filter(({ isDrift }) => isDrift),
  omitted,
})

/** Drops the changes for findings that are left in spite of them, if no more is left without them. */
async function dropUseless(
  attempt: Attempt,
  tryOut: (steps: readonly Step[]) => Promise<Result<Attempt, Findings>>,
): Promise<Attempt> {
  let best = attempt
  const changed = new Set(attempt.steps.map(({ key }) => key))
  const keys = [...new Set(attempt.findings.map(findingKey))].filter((key) => changed.has(key))
  for (const key of keys.slice(0, maxDropTrials)) {
    const steps = best.steps.filter((step) => step.key !== key)
    const tried = steps.length === 0 ? success({ ...attempt, steps }) : await tryOut(steps)
    if (tried.ok && countLeft(tried.value) <= countLeft(best)) best = tried.value
  }
  return best
}

const countLeft = ({ findings, omitted }: Attempt) => findings.length + omitted

const findingKey = ({ operation, status, pointer, kind, detail }: DriftFinding) =>
  JSON.stringify([operation.id, status, pointer, kind, detail])

/** Plans the changes for each finding, and lists the findings that have none. */
function planRound(
  document: JsonObject,
  { steps: earlier, findings }: Attempt,
): { steps: Step[]; left: UnpatchedFinding[] } {
  const left: UnpatchedFinding[] = []
  const steps: Step[] = []
  const edits = listEdits(earlier)
  const known = new Set(edits.map((edit) => JSON.stringify(edit)))
  let current = applyEdits(document, edits)
  for (const finding of findings) {
    // An earlier change may be at the same place, so each is planned in the changed document.
    const planned = planEdits(current as JsonObject, finding) // edits keep the root an object
    const added = planned.ok ? planned.value.filter((edit) => !known.has(JSON.stringify(edit))) : []
    for (const edit of added) known.add(JSON.stringify(edit))
    steps.push(...added.map((edit) => ({ key: findingKey(finding), edit })))
    if (added.length > 0) current = applyEdits(current, added)
    const reason = planned.ok ? 'The change at its place does not remove it.' : planned.error
    if (added.length === 0) left.push({ finding, reason })
  }
  return { steps, left }
}
