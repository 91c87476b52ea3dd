import type { Contract } from '../contract/contract.ts'
import type { JsonObject } from '../core/json.ts'
import { type Result, success } from '../core/result.ts'
import { applyEdits, type Edit } from '../documents/edit.ts'
import type { Findings } from '../documents/finding.ts'
import type { DriftFinding, DriftReport } from './finding.ts'
import { createOverlay } from './overlay.ts'
import { planEdits } from './plan-edits.ts'

/** A change of the contract that was tried on the same answers. */
export interface DriftPatch {
  readonly edits: readonly Edit[]
  readonly overlay: JsonObject
  /** The differences that are left after the change, of those that the report lists. */
  readonly left: readonly UnpatchedFinding[]
  /** The number of further differences that are left. */
  readonly omitted: number
}

/** A difference that the patch does not remove. */
export interface UnpatchedFinding {
  readonly finding: DriftFinding
  /** A sentence that says why. */
  readonly reason: string
}

/** The means of trying a patch. */
export interface PatchDeps {
  /** Loads a document as a start does. */
  readonly load: (document: JsonObject) => Promise<Result<Contract, Findings>>
  /** Applies the overlay to the document as it is served with it. */
  readonly applyOverlay: (document: JsonObject, overlay: JsonObject) => Promise<Result<JsonObject, Findings>>
  /** Compares the same answers with another contract. */
  readonly judge: (contract: Contract) => DriftReport
}

/** The most rounds: a change can show a difference that another one hid, such as the members of a new field. */
const maxRounds = 5

/** A change with the finding that asks for it. */
interface Step {
  readonly key: string
  readonly edit: Edit
}

/** Changes that were tried, with what is left after them. */
interface Attempt {
  readonly steps: readonly Step[]
  readonly document: JsonObject
  readonly findings: readonly DriftFinding[]
  /** The number of further differences. */
  readonly omitted: number
}

/** The most findings for which it is tried to do without their changes, each with a comparison of all answers. */
const maxDropTrials = 20

/**
 * Proposes a change of the contract and proves it: the overlay is applied to a copy, which is loaded and compared with the same answers. The
 * error lists what is wrong with the changed document.
 */
export async function createPatch(
  document: JsonObject,
  report: DriftReport,
  deps: PatchDeps,
): Promise<Result<DriftPatch, Findings>> {
  let attempt: Attempt = { steps: [], document, ...listDrift(report) }
  let left: UnpatchedFinding[] = []
  for (let round = 1; attempt.findings.length > 0; round += 1) {
    const planned = planRound(document, attempt)
    if (planned.steps.length === 0 || round > maxRounds) {
      left = round > maxRounds ? giveUp(attempt.findings) : planned.left
      break
    }
    const tried = await tryOut(document, [...attempt.steps, ...planned.steps], deps)
    if (!tried.ok) return tried
    attempt = tried.value
  }
  const pruned = await dropUseless(document, attempt, deps)
  const edits = pruned.steps.map(({ edit }) => edit)
  const overlay = createOverlay(document, edits)
  return success({ edits, overlay, left, omitted: pruned.omitted })
}

const listDrift = ({ findings, omitted }: DriftReport) => ({
  findings: findings.filter(({ isDrift }) => isDrift),
  omitted,
})

async function tryOut(
  document: JsonObject,
  steps: readonly Step[],
  { applyOverlay, load, judge }: PatchDeps,
): Promise<Result<Attempt, Findings>> {
  const overlay = createOverlay(
    document,
    steps.map(({ edit }) => edit),
  )
  const applied = await applyOverlay(document, overlay)
  if (!applied.ok) return applied
  const contract = await load(applied.value)
  if (!contract.ok) return contract
  return success({ steps, document: applied.value, ...listDrift(judge(contract.value)) })
}

/** Drops the changes for findings that are left in spite of them, if no more is left without them. */
async function dropUseless(document: JsonObject, attempt: Attempt, deps: PatchDeps): Promise<Attempt> {
  let best = attempt
  const changed = new Set(attempt.steps.map(({ key }) => key))
  const keys = [...new Set(attempt.findings.map(keyOf))].filter((key) => changed.has(key))
  for (const key of keys.slice(0, maxDropTrials)) {
    const steps = best.steps.filter((step) => step.key !== key)
    const { findings, omitted } = attempt
    const tried: Result<Attempt, Findings> =
      steps.length === 0
        ? success({ steps, document, findings, omitted })
        : await tryOut(document, steps, deps)
    if (tried.ok && countLeft(tried.value) <= countLeft(best)) best = tried.value
  }
  return best
}

const countLeft = ({ findings, omitted }: Attempt) => findings.length + omitted

const keyOf = ({ operation, status, pointer, kind, detail }: DriftFinding) =>
  JSON.stringify([operation.id, status, pointer, kind, detail])

function giveUp(findings: readonly DriftFinding[]): UnpatchedFinding[] {
  const reason = `It is left after ${maxRounds} rounds of changes.`
  return findings.map((finding) => ({ finding, reason }))
}

/** Plans the changes for each finding, and lists the findings that have none. */
function planRound(
  document: JsonObject,
  { steps: earlier, findings }: Attempt,
): { steps: Step[]; left: UnpatchedFinding[] } {
  const left: UnpatchedFinding[] = []
  const steps: Step[] = []
  const edits = earlier.map(({ edit }) => edit)
  const known = new Set(edits.map((edit) => JSON.stringify(edit)))
  let current = applyEdits(document, edits)
  for (const finding of findings) {
    // An earlier change may be at the same place, so each is planned in the changed document.
    const planned = planEdits(current as JsonObject, finding) // edits keep the root an object
    const added = planned.ok ? planned.value.filter((edit) => !known.has(JSON.stringify(edit))) : []
    for (const edit of added) known.add(JSON.stringify(edit))
    steps.push(...added.map((edit) => ({ key: keyOf(finding), edit })))
    if (added.length > 0) current = applyEdits(current, added)
    const reason = planned.ok ? 'The change at its place does not remove it.' : planned.error
    if (added.length === 0) left.push({ finding, reason })
  }
  return { steps, left }
}
