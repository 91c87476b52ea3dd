import type { Catalogue } from '../../scenarios/definition.ts'
import { type Candidate, findFields, type HuntStep, isPossible, shortenScenario } from './candidate.ts'

export interface ShrinkDeps {
  /** Runs the command under a candidate, and returns true if it breaks; false once there is no time for a run. */
  readonly breaks: (candidate: Candidate) => Promise<boolean>
  readonly catalogue: Catalogue
}

/**
 * Shrinks a candidate that breaks the suite as long as it still does: fewest steps, smallest changes.
 * The result breaks the suite, too.
 */
export async function shrink(candidate: Candidate, deps: ShrinkDeps): Promise<Candidate> {
  const few = await dropSteps(candidate, deps)
  const small = await changeEach(few, deps)
  // A smaller change may have made another step needless.
  return small === few ? few : dropSteps(small, deps)
}

/** Leaves out one step after the other. */
async function dropSteps(candidate: Candidate, deps: ShrinkDeps): Promise<Candidate> {
  const smaller = await findFirst(
    candidate.flatMap((step) => leaveOut(candidate, step)),
    deps.breaks,
  )
  return smaller ? dropSteps(smaller, deps) : candidate
}

/**
 * Returns a candidate without a step; then with the later steps of the operation one request earlier, since a failure
 * that is left out has no retry.
 */
function leaveOut(candidate: Candidate, left: HuntStep): readonly Candidate[] {
  const without = candidate.filter((step) => step !== left)
  const moved = without.map((step) => {
    const isLater = step.operation === left.operation && step.occurrence > left.occurrence
    return isLater ? { ...step, occurrence: step.occurrence - 1 } : step
  })
  const hasMoved = moved.some((step, index) => step !== without[index])
  return [without, ...(hasMoved ? [moved] : [])].filter(isPossible)
}

/** Makes the change of each step smaller: fewer fields, a shorter delay. */
async function changeEach(candidate: Candidate, deps: ShrinkDeps): Promise<Candidate> {
  let current = candidate
  for (let index = 0; index < candidate.length; index += 1) {
    current = await narrowStep(current, index, deps)
    current = await shortenStep(current, index, deps)
  }
  return current
}

async function narrowStep(candidate: Candidate, index: number, deps: ShrinkDeps): Promise<Candidate> {
  const step = candidate[index]
  const choice = step && findFields(step.scenario, step.operation, deps.catalogue)
  if (!choice) return candidate
  const withFields = (fields: readonly string[]) => replaceScenario(candidate, index, choice.only(fields))
  const breaks = async (fields: readonly string[]) => {
    const narrower = withFields(fields)
    return narrower !== undefined && isPossible(narrower) && deps.breaks(narrower)
  }
  // Besides its nulls, all-null changes counts: if the nulls alone do not break the suite, no part of them is tried.
  if (step.scenario.definition.name === 'all-null' && !(await breaks(choice.fields))) return candidate
  const fields = await findFewest(choice.fields, breaks)
  const isSmaller = fields.length < choice.fields.length || step.scenario.definition.name === 'all-null'
  return (isSmaller ? withFields(fields) : undefined) ?? candidate
}

/** Tries a delay of half, a quarter and an eighth. */
async function shortenStep(candidate: Candidate, index: number, deps: ShrinkDeps): Promise<Candidate> {
  const step = candidate[index]
  const effect = step?.scenario.definition.effect(step.scenario.values)
  if (!step || effect?.kind !== 'delay') return candidate
  const ms = effect.ms(() => 0)
  let shortest = candidate
  for (const part of [2, 4, 8]) {
    const scenario = shortenScenario(step.scenario, Math.floor(ms / part), deps.catalogue)
    const shorter = replaceScenario(candidate, index, scenario)
    if (!shorter || !(await deps.breaks(shorter))) return shortest
    shortest = shorter
  }
  return shortest
}

function replaceScenario(
  candidate: Candidate,
  index: number,
  scenario: HuntStep['scenario'] | undefined,
): Candidate | undefined {
  return scenario && candidate.map((step, at) => (at === index ? { ...step, scenario } : step))
}

/** Returns the first item for which a test is true, if any. The tests run one after the other. */
async function findFirst<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T | undefined> {
  for (const item of items) if (await test(item)) return item
  return undefined
}

/**
 * Returns the fewest fields that still break the suite, by delta debugging (Zeller and Hildebrandt, 2002): ever smaller
 * parts, and the rest without such a part. Returns all fields if fewer do not break it.
 */
async function findFewest(
  fields: readonly string[],
  breaks: (fields: readonly string[]) => Promise<boolean>,
  count = 2,
): Promise<readonly string[]> {
  if (fields.length < 2) return fields
  const size = Math.min(count, fields.length)
  const parts = splitInto(fields, size)
  const part = await findFirst(parts, breaks)
  if (part) return findFewest(part, breaks)
  const rests = parts.map((one) => fields.filter((field) => !one.includes(field)))
  const rest = size === 2 ? undefined : await findFirst(rests, breaks)
  if (rest) return findFewest(rest, breaks, size - 1)
  return size === fields.length ? fields : findFewest(fields, breaks, size * 2)
}

function splitInto(fields: readonly string[], count: number): readonly (readonly string[])[] {
  const size = Math.ceil(fields.length / count)
  return Array.from({ length: Math.ceil(fields.length / size) }, (_, index) =>
    fields.slice(index * size, (index + 1) * size),
  )
}
