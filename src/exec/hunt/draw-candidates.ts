import { deriveChance } from '../../core/seeded.ts'
import type { ActiveScenario, Catalogue } from '../../scenarios/definition.ts'
import type { Fault } from '../plan/fault-set.ts'
import {
  type Candidate,
  candidateKey,
  compareHuntPlaces,
  findFields,
  type HuntPlace,
  type HuntStep,
  isPossible,
} from './candidate.ts'

/** The things that a hunt draws from: places, faults and extreme answers. */
export interface HuntSources {
  readonly places: readonly HuntPlace[]
  readonly faults: readonly Fault[]
  readonly catalogue: Catalogue
  readonly seed: string
}

/**
 * Draws different candidates, the most telling first: each fault alone; a failure that passes, then an extreme answer
 * to the next request, most often the retry; then any two to four, preferably close together. Ends if none is new.
 */
export function* drawCandidates(sources: HuntSources): Generator<Candidate, undefined> {
  const seen = new Set<string>()
  for (const candidate of [...shuffle(listSingles(sources), sources), ...shuffle(listPairs(sources), sources)]) {
    seen.add(candidateKey(candidate))
    yield candidate
  }
  let misses = 0
  for (let number = 0; misses < maxMisses; number += 1) {
    const candidate = drawCandidate(sources, number)
    const key = candidateKey(candidate)
    const isNew = isPossible(candidate) && hasPassingFailures(candidate) && !seen.has(key)
    misses = isNew ? 0 : misses + 1
    if (!isNew) continue
    seen.add(key)
    yield candidate
  }
  return undefined
}

/** The number of draws without a new candidate after which there is none. */
const maxMisses = 1000

/** The largest number of failures one after the other, which a client with three attempts survives. */
const maxFailuresInRow = 2

/** The largest number of steps that are drawn. */
const maxSteps = 4

const isExtreme = ({ definition, values }: ActiveScenario) => definition.effect(values).kind === 'data'

function shuffle(candidates: readonly Candidate[], { seed }: HuntSources): readonly Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, chance: deriveChance([seed, 'hunt', candidateKey(candidate)]) }))
    .sort((one, other) => one.chance - other.chance)
    .map(({ candidate }) => candidate)
}

function listSingles({ places, faults }: HuntSources): readonly Candidate[] {
  return places.flatMap((place) => listFitting(place, faults).map((scenario) => [{ ...place, scenario }]))
}

function listPairs({ places, faults }: HuntSources): readonly Candidate[] {
  return places.flatMap((place) => {
    const fitting = listFitting(place, faults)
    const next = { ...place, occurrence: place.occurrence + 1 }
    const extremes = fitting.filter(isExtreme)
    return fitting
      .filter((scenario) => !isExtreme(scenario))
      .flatMap((failure) =>
        extremes.map((extreme) => [
          { ...place, scenario: failure },
          { ...next, scenario: extreme },
        ]),
      )
  })
}

/** Returns the scenarios that make sense for the operation of a place. */
function listFitting({ operation }: HuntPlace, faults: readonly Fault[]): readonly ActiveScenario[] {
  return faults
    .map(({ scenario }) => scenario)
    .filter(({ definition, values }) => definition.inapplicableReason(operation, values) === undefined)
}

/** Draws a candidate; it may be one that cannot be. `number`: another number, another candidate. */
function drawCandidate(sources: HuntSources, number: number): Candidate {
  const chance = (label: string) => deriveChance([sources.seed, 'hunt', number, label])
  const length = 2 + Math.floor(chance('length') ** 2 * (maxSteps - 1))
  const steps: HuntStep[] = []
  for (let index = 0; index < length; index += 1) {
    const step = drawStep(sources, steps.at(-1), (label) => chance(`${label} ${index}`))
    if (step) steps.push(step)
  }
  return steps.sort(compareHuntPlaces)
}

/** Draws a step, more often for the request that follows the last step, or undefined if nothing fits its place. */
function drawStep(
  { places, faults, catalogue }: HuntSources,
  last: HuntStep | undefined,
  chance: (label: string) => number,
): HuntStep | undefined {
  const pick = <T>(list: readonly T[], label: string) => list[Math.floor(chance(label) * list.length)]
  const isNext = last !== undefined && chance('next') < 0.7
  const place = isNext ? { ...last, occurrence: last.occurrence + 1 } : pick(places, 'place')
  if (!place) return undefined
  const { operation, occurrence } = place
  const fitting = listFitting(place, faults)
  const wanted = fitting.filter((one) => isExtreme(one) === chance('extreme') < 0.5)
  const scenario = pick(wanted.length > 0 ? wanted : fitting, 'scenario')
  const choice = scenario && chance('narrow') < 0.5 ? findFields(scenario, operation, catalogue) : undefined
  const narrow = choice?.only(choice.fields.slice(Math.floor(chance('field') * choice.fields.length)).slice(0, 1))
  return scenario && { operation, occurrence, scenario: narrow ?? scenario }
}

/** Returns false where more failures follow one another than a good client survives. */
function hasPassingFailures(candidate: Candidate): boolean {
  const failures = candidate.filter(({ scenario }) => !isExtreme(scenario))
  return failures.every((step) => {
    const following = failures.filter(
      ({ operation, occurrence }) =>
        operation === step.operation &&
        occurrence >= step.occurrence &&
        occurrence <= step.occurrence + maxFailuresInRow,
    )
    return following.length <= maxFailuresInRow
  })
}
