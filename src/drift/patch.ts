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
  /** The differences that are left after the change. */
  readonly left: readonly UnpatchedFinding[]
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

/**
 * Proposes a change of the contract and proves it: the overlay is applied to a copy, which is loaded and compared with the same answers. The
 * error lists what is wrong with the changed document.
 */
export async function createPatch(
  document: JsonObject,
  report: DriftReport,
  { load, applyOverlay, judge }: PatchDeps,
): Promise<Result<DriftPatch, Findings>> {
  const edits: Edit[] = []
  let findings = report.findings.filter(({ isDrift }) => isDrift)
  for (let round = 1; ; round += 1) {
    const planned = round > maxRounds ? giveUp(findings) : planRound(document, findings, edits)
    const overlay = createOverlay(document, edits)
    if (planned.count === 0) return success({ edits, overlay, left: planned.left })
    const applied = await applyOverlay(document, overlay)
    if (!applied.ok) return applied
    const contract = await load(applied.value)
    if (!contract.ok) return contract
    findings = judge(contract.value).findings.filter(({ isDrift }) => isDrift)
    if (findings.length === 0) return success({ edits, overlay, left: [] })
  }
}

function giveUp(findings: readonly DriftFinding[]): { count: number; left: UnpatchedFinding[] } {
  const reason = `It is left after ${maxRounds} rounds of changes.`
  return { count: 0, left: findings.map((finding) => ({ finding, reason })) }
}

/** Adds the changes for each finding to `edits`, and returns their number and the findings that have none. */
function planRound(
  document: JsonObject,
  findings: readonly DriftFinding[],
  edits: Edit[],
): { count: number; left: UnpatchedFinding[] } {
  const left: UnpatchedFinding[] = []
  let count = 0
  for (const finding of findings) {
    // An earlier change may be at the same place, so each is planned in the changed document.
    const current = applyEdits(document, edits)
    const planned = planEdits(current as JsonObject, finding) // edits keep the root an object
    const known = new Set(edits.map((edit) => JSON.stringify(edit)))
    const added = planned.ok ? planned.value.filter((edit) => !known.has(JSON.stringify(edit))) : []
    edits.push(...added)
    count += added.length
    const reason = planned.ok ? 'The change at its place does not remove it.' : planned.error
    if (added.length === 0) left.push({ finding, reason })
  }
  return { count, left }
}
