import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { parsePointer, valueAt } from '../../../base/core/json-pointer.ts'
import { type Result, success } from '../../../base/core/result.ts'
import { applyEdits, type Edit } from '../../../base/documents/edit.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import type { DriftFinding, DriftReport } from '../judge/finding.ts'
import { planEdits } from './plan-edits.ts'

/** A change of the contract that was tried on the same responses. */
interface DriftPatch {
  readonly edits: readonly Edit[]
  readonly overlay: JsonObject
  /** The listed differences that are left after the change, each with the reason. */
  readonly left: readonly UnpatchedFinding[]
  /** The number of differences that are left and not listed. */
  readonly omitted: number
}

interface UnpatchedFinding {
  readonly finding: DriftFinding
  readonly reason: string
}

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

type TryOut = (steps: readonly Step[]) => Promise<Result<Attempt, Findings>>

/**
 * Proposes a change of the contract and proves it on the same responses. `judge` compares them with the contract as an
 * overlay changes it. The error lists what is wrong with the change.
 */
export async function createPatch(
  document: JsonObject,
  report: DriftReport,
  judge: (overlay: JsonObject) => Promise<Result<DriftReport, Findings>>,
): Promise<Result<DriftPatch, Findings>> {
  const tryOut: TryOut = async (steps) => {
    const judged = await judge(createOverlay(document, listEdits(steps)))
    return judged.ok ? success(toAttempt(steps, judged.value)) : judged
  }
  let attempt = toAttempt([], report)
  let left: readonly UnpatchedFinding[] = []
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

const toAttempt = (steps: readonly Step[], { findings, omitted }: DriftReport): Attempt => ({
  steps,
  findings: findings.filter(({ isDrift }) => isDrift),
  omitted,
})

/** The most findings for which it is tried to do without their changes, each with a comparison of all responses. */
const maxDropTrials = 20

/** Drops the changes for findings that are left in spite of them, if no more is left without them. */
async function dropUseless(attempt: Attempt, tryOut: TryOut): Promise<Attempt> {
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

function planRound(document: JsonObject, { steps: earlier, findings }: Attempt) {
  const left: UnpatchedFinding[] = []
  const steps: Step[] = []
  const known = new Set(earlier.map(({ edit }) => JSON.stringify(edit)))
  let current = applyEdits(document, listEdits(earlier))
  for (const finding of findings) {
    // An earlier change may be at the same place, so each is planned in the changed document.
    const planned = planEdits(current as JsonObject, finding) // edits keep the root an object
    const added = planned.ok ? planned.value.filter((edit) => !known.has(JSON.stringify(edit))) : []
    for (const edit of added) known.add(JSON.stringify(edit))
    steps.push(...added.map((edit) => ({ key: findingKey(finding), edit })))
    if (added.length > 0) current = applyEdits(current, added)
    else left.push({ finding, reason: planned.ok ? 'The change at its place does not remove it.' : planned.error })
  }
  return { steps, left }
}

/** The end of the title of an overlay that `convsim drift` has written. */
export const patchMark = ', found by convsim drift'

/** Writes changes of a document as an OpenAPI Overlay 1.1.0, which can also append and remove items of a list. */
function createOverlay(document: JsonObject, edits: readonly Edit[]): JsonObject {
  let current: Json = document
  const actions: JsonObject[] = []
  for (const edit of edits) {
    actions.push(...toActions(edit, valueAt(current, edit.pointer)))
    current = applyEdits(current, [edit])
  }
  const { title, version } = isObject(document.info) ? document.info : {}
  return {
    overlay: '1.1.0',
    info: { title: `Differences of ${String(title ?? 'the service')}${patchMark}`, version: String(version ?? '1') },
    actions,
  }
}

function toActions(edit: Edit, before: Json | undefined): JsonObject[] {
  const tokens = parsePointer(edit.pointer)
  const target = toJsonPath(tokens)
  switch (edit.kind) {
    case 'append':
      return [{ target, update: [edit.value] }]
    case 'remove-item':
      return [{ target: `${target}[?@ == ${quoteForJsonPath(edit.value)}]`, remove: true }]
    case 'remove':
      return [{ target, remove: true }]
    case 'set': {
      // An object would be merged, a list appended to, and a single value takes neither.
      const isMerged = before !== undefined && (isComposite(before) || isComposite(edit.value))
      const owner = toJsonPath(tokens.slice(0, -1))
      const update = { target: owner, update: { [tokens.at(-1) ?? '']: edit.value } }
      return isMerged ? [{ target, remove: true }, update] : [update]
    }
  }
}

const isComposite = (value: Json) => typeof value === 'object' && value !== null

/** Returns the JSONPath of a place: `$.paths['/models/{modelId}/analytics'].get`. */
function toJsonPath(tokens: readonly string[]): string {
  const steps = tokens.map((token) => (/^[A-Za-z_]\w*$/.test(token) ? `.${token}` : `[${quoteForJsonPath(token)}]`))
  return `$${steps.join('')}`
}

const quoteForJsonPath = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
