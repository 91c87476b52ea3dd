import type { Catalogue } from '../../scenarios/definition.ts'
import { isRed } from '../report/verdict.ts'
import type { EndedRun } from '../runs/suite-run.ts'
import { type Candidate, candidateKey, findFields, type HuntStep, isPossible, shortenScenario } from './candidate.ts'
import type { FindingCertainty, HuntFinding } from './hunt-report.ts'

/** Runs the command once under a candidate. Returns undefined if the time is up, or if a stop ended the run. */
type RunCandidate = (candidate: Candidate) => Promise<EndedRun | undefined>

/** A candidate that broke the suite, as small as the time allowed. */
export interface ShrunkFinding extends Pick<HuntFinding, 'candidate' | 'certainty' | 'tally' | 'shrinkingRuns'> {
  /** The last run of the candidate that broke. */
  readonly ended: EndedRun
}

/** Repeats and shrinks a candidate that broke the suite. Returns undefined if it did not break again. */
export async function shrinkFinding(
  drawn: Candidate,
  first: EndedRun,
  catalogue: Catalogue,
  run: RunCandidate,
): Promise<ShrunkFinding | undefined> {
  const shrinker = new Shrinker(run, catalogue)
  const describe = (candidate: Candidate, certainty: FindingCertainty) => {
    const { lastBroken = first, ...tally } = shrinker.tallyOf(candidate)
    return { candidate, certainty, ended: lastBroken, tally, shrinkingRuns: shrinker.made }
  }
  shrinker.count(drawn, first)
  if ((await shrinker.runAgain(drawn)) === 'passed') return undefined
  const candidate = await shrinker.shrink(drawn)
  if ((await shrinker.runAgain(candidate)) === 'passed') {
    // A smaller one that does not break each time is worth less than the drawn one, which has broken twice.
    if (candidateKey(candidate) !== candidateKey(drawn)) await shrinker.runAgain(drawn)
    return describe(drawn, 'unreliable')
  }
  return describe(candidate, shrinker.isCutShort ? 'incomplete' : 'confirmed')
}

/** The number of runs of a candidate, and of those that broke, with the last of these. */
interface RunTally {
  readonly made: number
  readonly failed: number
  readonly lastBroken: EndedRun | undefined
}

/** Runs a candidate and smaller ones, and counts how often each breaks the suite. */
class Shrinker {
  readonly #run: RunCandidate
  readonly #catalogue: Catalogue
  readonly #tallies = new Map<string, RunTally>()
  /** The number of runs that were made here. */
  made = 0
  /** True once a run was not made: no further one is then. */
  isCutShort = false

  constructor(run: RunCandidate, catalogue: Catalogue) {
    this.#run = run
    this.#catalogue = catalogue
  }

  /** Counts a run that was made elsewhere. */
  count(candidate: Candidate, ended: EndedRun): void {
    const { made, failed, lastBroken } = this.tallyOf(candidate)
    const next = isRed(ended) ? { failed: failed + 1, lastBroken: ended } : { failed, lastBroken }
    this.#tallies.set(candidateKey(candidate), { made: made + 1, ...next })
  }

  /** Returns the runs of a candidate so far, and the last one that broke. */
  tallyOf(candidate: Candidate): RunTally {
    return this.#tallies.get(candidateKey(candidate)) ?? { made: 0, failed: 0, lastBroken: undefined }
  }

  async runAgain(candidate: Candidate): Promise<'broke' | 'passed' | 'not-made'> {
    const ended = this.isCutShort ? undefined : await this.#run(candidate)
    this.isCutShort = ended === undefined
    if (!ended) return 'not-made'
    this.made += 1
    this.count(candidate, ended)
    return isRed(ended) ? 'broke' : 'passed'
  }

  /**
   * Shrinks a candidate that breaks the suite as long as it still does: fewest steps, smallest changes.
   * The result breaks the suite, too.
   */
  async shrink(candidate: Candidate): Promise<Candidate> {
    const few = await this.#dropSteps(candidate)
    let small = few
    for (let index = 0; index < few.length; index += 1)
      small = await this.#shortenStep(await this.#narrowStep(small, index), index)
    // A smaller change may have made another step needless.
    return small === few ? few : this.#dropSteps(small)
  }

  /** Returns true if a candidate breaks the suite, or has done so before; false if there was no time for its run. */
  async #breaks(candidate: Candidate): Promise<boolean> {
    if (this.tallyOf(candidate).made === 0) await this.runAgain(candidate)
    return this.tallyOf(candidate).failed > 0
  }

  async #dropSteps(candidate: Candidate): Promise<Candidate> {
    const fewer = candidate.flatMap((step) => leaveOut(candidate, step))
    const smaller = await findFirst(fewer, (one) => this.#breaks(one))
    return smaller ? this.#dropSteps(smaller) : candidate
  }

  /** Changes fewer fields. */
  async #narrowStep(candidate: Candidate, index: number): Promise<Candidate> {
    const step = candidate[index]
    const choice = step && findFields(step.scenario, step.operation, this.#catalogue)
    if (!choice) return candidate
    const withFields = (fields: readonly string[]) => replaceScenario(candidate, index, choice.only(fields))
    const breaks = async (fields: readonly string[]) => {
      const narrower = withFields(fields)
      return narrower !== undefined && isPossible(narrower) && this.#breaks(narrower)
    }
    // Besides its nulls, all-null changes counts: if the nulls alone do not break the suite, no part of them is tried.
    if (step.scenario.definition.name === 'all-null' && !(await breaks(choice.fields))) return candidate
    const fields = await findFewest(choice.fields, breaks)
    const isSmaller = fields.length < choice.fields.length || step.scenario.definition.name === 'all-null'
    return (isSmaller ? withFields(fields) : undefined) ?? candidate
  }

  /** Tries a delay of half, a quarter and an eighth. */
  async #shortenStep(candidate: Candidate, index: number): Promise<Candidate> {
    const step = candidate[index]
    const effect = step?.scenario.definition.effect(step.scenario.values)
    if (!step || effect?.kind !== 'delay') return candidate
    const ms = effect.ms(() => 0)
    let shortest = candidate
    for (const part of [2, 4, 8]) {
      const scenario = shortenScenario(step.scenario, Math.floor(ms / part), this.#catalogue)
      const shorter = replaceScenario(candidate, index, scenario)
      if (!shorter || !(await this.#breaks(shorter))) return shortest
      shortest = shorter
    }
    return shortest
  }
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
  return [without, moved].filter(isPossible)
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
