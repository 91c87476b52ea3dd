/**
 * Faults against a test suite: a run for each fault at each place where the requests of the baseline run go.
 * `fault-set.ts` parses faults.
 */

import { groupBy } from '../../../base/core/group-by.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { deriveChance } from '../../../base/core/seeded.ts'
import { describeKnown } from '../../../base/core/similar.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import type { ActiveScenario } from '../../../service/scenarios/definition.ts'
import type { RecordedRequest } from '../runs/recorded-request.ts'
import type { EachSettings } from '../settings.ts'
import type { Fault, NamedRun } from './fault-set.ts'

/** One run of the command: a fault, and the place where it is injected. */
export interface PlannedRun {
  readonly fault: Fault
  /** The id of the operation. */
  readonly operation: string
  /** The number of the request among those of its operation, from 1. Drift begins with the first request, and stays. */
  readonly occurrence: number
  /** The field that drifts, as a JSON pointer with a star for an array's items; undefined for other faults. */
  readonly pointer: string | undefined
  /** False if no response of the baseline run has the field, so that there is nothing to run. */
  readonly isReachable: boolean
}

export interface SuitePlan {
  /** In the order of the faults, then of the operations, then of their requests or fields. */
  readonly runs: readonly PlannedRun[]
  /** The number of runs that are left out, since they would inject the same fault into similar requests. */
  readonly equivalent: number
  readonly skipped: readonly SkippedRequests[]
}

/** The requests of an operation that no run aims at, since others differ from them in values alone. */
export interface SkippedRequests {
  /** The id of the operation. */
  readonly operation: string
  /** The numbers of the skipped requests, ascending. */
  readonly occurrences: readonly number[]
  /** The numbers of the first and the last such request, which are targets. */
  readonly sameAs: readonly number[]
}

/**
 * Plans a run for each fault at each place that the baseline run has shown. `everyRequest`: similar requests are
 * targets, too, as `--only` can name each.
 */
export function planRuns(
  requests: readonly RecordedRequest[],
  faults: readonly Fault[],
  { everyRequest = false } = {},
): SuitePlan {
  const planned = listOperations(requests).map(({ operation, all }) => {
    const skipped = everyRequest ? [] : listSkipped(operation, all)
    const left = new Set(skipped.flatMap(({ occurrences }) => occurrences))
    const fitting = faults.filter((fault) => !fault.isLasting && fits(fault, operation)).length
    const targets = all.filter(({ occurrence }) => !left.has(occurrence))
    return { operation, all, targets, skipped: fitting > 0 ? skipped : [], equivalent: fitting * left.size }
  })
  return {
    runs: faults.flatMap((fault) =>
      planned.flatMap(({ operation, all, targets }) =>
        fault.isLasting ? planFields(fault, operation, all) : planRequests(fault, operation, targets),
      ),
    ),
    equivalent: planned.reduce((sum, one) => sum + one.equivalent, 0),
    skipped: planned.flatMap(({ skipped }) => skipped),
  }
}

function fits({ scenario: { definition, values } }: Fault, operation: Operation): boolean {
  return definition.inapplicableReason(operation, values) === undefined
}

/** Lists the operations that have responded to at least one request as the contract says, with these requests. */
function listOperations(requests: readonly RecordedRequest[]) {
  const ordinary = requests.filter(({ isOrdinary }) => isOrdinary).sort((a, b) => a.occurrence - b.occurrence)
  return [...groupBy(ordinary, ({ operation }) => operation)]
    .flatMap(([operation, all]) => (operation ? [{ operation, all }] : []))
    .sort((one, other) => (one.operation.id < other.operation.id ? -1 : 1))
}

/**
 * Lists the requests of an operation that no run aims at: of those that differ in values alone all but the first and
 * the last. Nothing else is known of the code that sent them, and a second client in the same suite begins or ends
 * somewhere.
 */
function listSkipped({ id }: Operation, requests: readonly RecordedRequest[]): SkippedRequests[] {
  return [...groupBy(requests, ({ signature }) => signature).values()]
    .map((similar) => similar.map(({ occurrence }) => occurrence))
    .filter(({ length }) => length > 2)
    .map((all) => ({ operation: id, occurrences: all.slice(1, -1), sameAs: [...all.slice(0, 1), ...all.slice(-1)] }))
}

/** Plans a fault of single requests. */
function planRequests(fault: Fault, operation: Operation, targets: readonly RecordedRequest[]): PlannedRun[] {
  if (!fits(fault, operation)) return []
  const place = { fault, operation: operation.id, pointer: undefined, isReachable: true }
  return targets.map(({ occurrence }) => ({ ...place, occurrence }))
}

/** Plans a drift at each field that the contract has. */
function planFields(fault: Fault, operation: Operation, requests: readonly RecordedRequest[]): PlannedRun[] {
  const { scenario, pointer: only } = fault
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  const bodies = [...new Set(requests.map(({ response }) => response))]
  const canDrift = (pointer: string) => {
    const effect = scenario.definition.effect(atPointer(scenario, pointer).values)
    if (effect.kind !== 'drift' || !schema) return false
    return bodies.some((body) => body !== undefined && effect.damage(body, schema, '').ok)
  }
  const plan = (pointer: string) => ({ fault, operation: operation.id, occurrence: 1, pointer })
  // A field that is named may be an item of a list, which the contract does not name.
  if (only !== undefined) return canDrift(only) ? [{ ...plan(only), isReachable: true }] : []
  const pointers = scenario.definition.pointers?.(operation) ?? []
  return pointers.map((pointer) => ({ ...plan(pointer), isReachable: canDrift(pointer) }))
}

/** Returns a drift of a single field: `drop-field;pointer=/messageCount`. */
function atPointer(scenario: ActiveScenario, pointer: string): ActiveScenario {
  const values = { ...scenario.values, pointer }
  return { ...scenario, values, text: `${scenario.text};pointer=${pointer}` }
}

/** Returns the scenario that acts in a run. */
export function scenarioOf({ fault, pointer }: PlannedRun): ActiveScenario {
  return pointer === undefined ? fault.scenario : atPointer(fault.scenario, pointer)
}

/** Names a run for `--only`: `drift:drop-field@getModelAnalytics/avgSafetyScore`, `resilience:reset@createEvent#2`. */
export function nameRun({ fault, operation, occurrence, pointer }: PlannedRun): string {
  return `${fault.name}@${operation}${pointer ?? `#${occurrence}`}`
}

/**
 * Returns the runs to make: those that can be reached. With a bound the seed draws and orders them, without one they
 * keep the order of the plan.
 */
export function chooseRuns(
  planned: readonly PlannedRun[],
  { seed, maxRuns, time }: Pick<EachSettings, 'seed' | 'maxRuns' | 'time'>,
): readonly PlannedRun[] {
  const runs = planned.filter(({ isReachable }) => isReachable)
  const isBounded = time !== undefined || (maxRuns !== undefined && maxRuns < runs.length)
  return (isBounded ? drawOrder(runs, seed) : runs).slice(0, maxRuns)
}

/** Draws the order of the runs, one of each set in turn, since drift has most and would leave no room for others. */
function drawOrder(runs: readonly PlannedRun[], seed: string): readonly PlannedRun[] {
  const drawn = runs
    .map((run) => ({ run, chance: deriveChance([seed, 'suite', nameRun(run)]) }))
    .sort((one, other) => one.chance - other.chance)
  return [...groupBy(drawn, ({ run }) => run.fault.group).values()]
    .flatMap((own) => own.map((one, turn) => ({ ...one, turn })))
    .sort((one, other) => one.turn - other.turn || one.chance - other.chance)
    .map(({ run }) => run)
}

/** Returns the planned runs that a name means. The error lists the places of the fault that the suite reaches. */
export function pickNamedRuns(runs: readonly PlannedRun[], named: NamedRun): Result<readonly PlannedRun[]> {
  const { fault, operation, occurrence, pointer } = named
  const ofOperation = runs.filter((run) => run.operation === operation && run.isReachable)
  const fitting = ofOperation.filter(
    (run) =>
      (occurrence === undefined || run.occurrence === occurrence) && (pointer === undefined || run.pointer === pointer),
  )
  const [first] = fitting
  if (first) return success(pointer === undefined && first.pointer !== undefined ? fitting : [first])
  const names = ofOperation.map(nameRun)
  const name = `${fault.name}@${operation}${pointer ?? (occurrence === undefined ? '' : `#${occurrence}`)}`
  if (names.length === 0) return failure(`Nowhere to inject ${name}: no request of the suite can get this fault.`)
  return failure(`Nowhere to inject ${name}. ${describeKnown(name, names)}`)
}

/**
 * Says why no fault can be injected into a request of the baseline run, or returns undefined if one can: `No request
 * can get a fault, since none got an ordinary response: 2 x 401.`
 */
export function describeNoPlace(requests: readonly RecordedRequest[]): string | undefined {
  if (requests.some(({ operation, isOrdinary }) => operation && isOrdinary)) return undefined
  const parts = [...groupBy(requests, describeResponse)].map(([kind, own]) => `${own.length} x ${kind}`)
  return `No request can get a fault, since none got an ordinary response: ${parts.join(', ')}.`
}

function describeResponse({ operation, occurrence, status }: RecordedRequest): string {
  if (!operation) return `${status} on no operation`
  return occurrence === 0 && status < 400 ? `${status} of a request that steers the simulator` : `${status}`
}
