/** Sequences of faults against a test suite: candidates, their places and rules, and ways to make a step smaller. */
import type { Operation } from '../../contract/contract.ts'
import { groupBy } from '../../core/group-by.ts'
import { parseKnownScenarios } from '../../reports/hint-finder.ts'
import type { ActiveScenario, Catalogue } from '../../scenarios/definition.ts'
import { maxControlLength, namesOf } from '../../scenarios/parameters.ts'
import type { RecordedRequest } from '../plan/recorded-request.ts'

/** A place where a request can meet a fault. */
export interface HuntPlace {
  readonly operation: Operation
  /** The number of the request among those to its operation in its sandbox, from 1, as sequences of rules count. */
  readonly occurrence: number
}

/** A fault, or an extreme answer, that one request of each sandbox meets. */
export interface HuntStep extends HuntPlace {
  readonly scenario: ActiveScenario
}

/** The faults of a run, sorted by operation and request; no two have the same place. */
export type Candidate = readonly HuntStep[]

/** Compares places as a candidate has them: by operation and number. */
export function compareHuntPlaces(one: HuntPlace, other: HuntPlace): number {
  if (one.operation === other.operation) return one.occurrence - other.occurrence
  return one.operation.id < other.operation.id ? -1 : 1
}

/** Returns a candidate's rules: a sequence for each operation, in which all other requests get the ordinary answer. */
export function toRules(candidate: Candidate) {
  return [...groupBy(candidate, ({ operation }) => operation)].map(([operation, steps]) => {
    const ordinary = String(operation.successStatus)
    const items: string[] = []
    let next = 1
    for (const { occurrence, scenario } of steps) {
      const skipped = occurrence - next
      if (skipped > 0) items.push(skipped === 1 ? ordinary : `${ordinary}*${skipped}`)
      items.push(scenario.text)
      next = occurrence + 1
    }
    return { operation: operation.id, sequence: [...items, ordinary].join(', ') }
  })
}

/** Returns a text that differs for different candidates. */
export function candidateKey(candidate: Candidate): string {
  return JSON.stringify(toRules(candidate))
}

/** Returns true for a candidate whose places differ, and whose sequences are not too long for a rule. */
export function isPossible(candidate: Candidate): boolean {
  const places = candidate.map(({ operation, occurrence }) => `${operation.id} ${occurrence}`)
  const hasRoom = toRules(candidate).every(({ sequence }) => sequence.length <= maxControlLength)
  return candidate.length > 0 && new Set(places).size === places.length && hasRoom
}

/** Describes a step: `request 2 of getModelAnalytics meets "all-null"`. */
export function describeStep({ operation, occurrence, scenario }: HuntStep): string {
  return `request ${occurrence} of ${operation.id} meets "${scenario.text}"`
}

/**
 * Lists the places of the requests that were answered as the contract says, in the order of operations and numbers. Of
 * requests that differ in values alone, the first stands for all.
 */
export function listPlaces(requests: readonly RecordedRequest[]): readonly HuntPlace[] {
  const counts = new Map<string, number>()
  const signatures = new Set<string>()
  const places = new Map<string, HuntPlace>()
  const counted = requests.filter(({ occurrence }) => occurrence > 0)
  const sorted = counted.sort((a, b) => a.occurrence - b.occurrence)
  for (const { operation, sandbox, signature, isOrdinary } of sorted) {
    if (!operation) continue
    const key = `${operation.id} ${sandbox}`
    const occurrence = (counts.get(key) ?? 0) + 1
    counts.set(key, occurrence)
    if (!isOrdinary || signatures.has(signature)) continue
    signatures.add(signature)
    places.set(`${operation.id} ${occurrence}`, { operation, occurrence })
  }
  return [...places.values()].sort(compareHuntPlaces)
}

/** The fields that an extreme answer changes, and the way to change fewer of them. */
interface FieldChoice {
  readonly fields: readonly string[]
  /** Returns the scenario that changes these fields alone, if any. */
  readonly only: (fields: readonly string[]) => ActiveScenario | undefined
}

/** Returns the fields that a scenario changes in an operation's answers, or undefined if it cannot be narrowed. */
export function findFields(
  { definition, values }: ActiveScenario,
  operation: Operation,
  catalogue: Catalogue,
): FieldChoice | undefined {
  const narrower = definition.name === 'all-null' ? catalogue.find('null') : definition
  const all = narrower?.fields?.(operation) ?? []
  const fields = values['fields'] === undefined ? all : namesOf(values, 'fields')
  if (!narrower || fields.length === 0) return undefined
  return { fields, only: (chosen) => parseKnownScenarios(`${narrower.name};fields=${chosen.join('|')}`, catalogue)[0] }
}

/** Returns a delay of so many milliseconds; undefined for a scenario that is no fixed delay, or that is not longer. */
export function shortenScenario(
  { definition, values }: ActiveScenario,
  ms: number,
  catalogue: Catalogue,
): ActiveScenario | undefined {
  const effect = definition.effect(values)
  if (effect.kind !== 'delay' || effect.drawn || effect.ms(() => 0) <= ms) return undefined
  return parseKnownScenarios(`${definition.name};ms=${ms}`, catalogue)[0]
}
