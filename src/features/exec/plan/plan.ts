/**
 * Faults against a test suite: a run for each fault at each place where the requests of the baseline run go.
 * `fault-set.ts` parses faults, `recorded-request.ts` has the requests, `choose-runs.ts` orders and bounds the runs.
 */

import { groupBy } from '../../../base/core/group-by.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import type { ActiveScenario } from '../../../service/scenarios/definition.ts'
import type { Fault } from './fault-set.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** One run of the command: a fault, and the place at which a request gets it. */
export interface PlannedRun {
  readonly fault: Fault
  /** The id of the operation. */
  readonly operation: string
  /** The number of the request among those of its operation, from 1. Drift begins with the first request, and stays. */
  readonly occurrence: number
  /** The field that drifts, as a JSON pointer with a star for an array's items; undefined for other faults. */
  readonly pointer: string | undefined
  /** Is false if no response of the baseline run has the field, so that there is nothing to run. */
  readonly isReachable: boolean
}

export interface SuitePlan {
  /** In the order of the faults, then of the operations, then of their requests or fields. */
  readonly runs: readonly PlannedRun[]
  /** The number of runs that are left out, since equal requests get the same fault. */
  readonly equivalent: number
  /** The requests that no run aims at for that reason. */
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

/** An operation with those of its requests in the baseline run that can get a fault, sorted by number. */
type PlannedOperation = readonly [operation: Operation, requests: readonly RecordedRequest[]]

/**
 * Plans a run for each fault at each place that the baseline run has shown. `everyRequest`: equal requests are targets,
 * too, as `--only` can name each.
 */
export function planRuns(
  requests: readonly RecordedRequest[],
  faults: readonly Fault[],
  { everyRequest = false } = {},
): SuitePlan {
  const planned = listPlannedOperations(requests).map(([operation, all]) => {
    const skipped = everyRequest ? [] : listSkipped(operation, all)
    const inner = new Set(skipped.flatMap(({ occurrences }) => occurrences))
    const targets = all.filter(({ occurrence }) => !inner.has(occurrence))
    const met = faults.filter((fault) => !fault.isLasting && canMeet(operation, fault)).length
    return { operation, all, targets, skipped: met > 0 ? skipped : [], equivalent: met * inner.size }
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

function canMeet(operation: Operation, { scenario: { definition, values } }: Fault): boolean {
  return definition.inapplicableReason(operation, values) === undefined
}

/** Lists the operations that have returned at least one response as the contract says, sorted by id. */
function listPlannedOperations(requests: readonly RecordedRequest[]): PlannedOperation[] {
  const ordinary = requests.filter(({ isOrdinary }) => isOrdinary).sort((a, b) => a.occurrence - b.occurrence)
  return [...groupBy(ordinary, ({ operation }) => operation)]
    .flatMap(([operation, own]): PlannedOperation[] => (operation ? [[operation, own]] : []))
    .sort(([one], [other]) => (one.id < other.id ? -1 : 1))
}

/**
 * Lists the requests of an operation that no run aims at: of those that differ in values alone all but the first and
 * the last. Nothing else is known of the code that sent them, and a second client in the same suite begins or ends
 * somewhere.
 */
function listSkipped({ id }: Operation, requests: readonly RecordedRequest[]): SkippedRequests[] {
  return [...groupBy(requests, ({ signature }) => signature).values()]
    .map((equal) => equal.map(({ occurrence }) => occurrence))
    .filter(({ length }) => length > 2)
    .map((all) => ({ operation: id, occurrences: all.slice(1, -1), sameAs: [...all.slice(0, 1), ...all.slice(-1)] }))
}

/** Plans a fault of single requests. */
function planRequests(fault: Fault, operation: Operation, targets: readonly RecordedRequest[]): PlannedRun[] {
  if (!canMeet(operation, fault)) return []
  const place = { fault, operation: operation.id, pointer: undefined, isReachable: true }
  return targets.map(({ occurrence }) => ({ ...place, occurrence }))
}

/** Plans a drift at each field that the contract has. */
function planFields(fault: Fault, operation: Operation, requests: readonly RecordedRequest[]): PlannedRun[] {
  const pointers = fault.scenario.definition.pointers?.(operation) ?? []
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  const bodies = [...new Set(requests.map(({ response }) => response))]
  const canDrift = (pointer: string) => {
    const { definition, values } = atPointer(fault.scenario, pointer)
    const effect = definition.effect(values)
    if (effect.kind !== 'drift' || !schema) return false
    return bodies.some((body) => body !== undefined && effect.damage(body, schema, '').ok)
  }
  const place = { fault, operation: operation.id, occurrence: 1 }
  const { pointer: only } = fault
  // A field that is named may be an item of a list, which the contract does not name.
  const planned = only === undefined ? pointers : canDrift(only) ? [only] : []
  return planned.map((pointer) => ({ ...place, pointer, isReachable: canDrift(pointer) }))
}

/** Returns a drift that acts at a field: `drop-field;pointer=/messageCount`. */
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

/** Says which requests were skipped, and how to aim at one of them. Empty: none was. */
export function describeSkipped(skipped: readonly SkippedRequests[]): string[] {
  const [first] = skipped
  if (!first) return []
  const parts = skipped.map(({ operation, occurrences, sameAs }) => {
    const verb = occurrences.length === 1 ? 'is' : 'are'
    return `${operation}: ${formatNumbers(occurrences)} ${verb} like ${formatNumbers(sameAs)}`
  })
  return [
    `Skipped; excluded from the percentages: ${parts.join('; ')}. They differ in values alone, ` +
      'but another part of the suite may send them: ' +
      `--only FAULT@${first.operation}#${first.occurrences[0]} injects into one.`,
  ]
}

/** The largest number of parts that a list of numbers has. */
const maxParts = 10

/** Writes ascending numbers of requests: `request 2`, `requests 2 to 6, 9`. */
function formatNumbers(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  const parts = ranges.map(({ from, to }) => {
    if (from === to) return `${from}`
    return to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`
  })
  const more = parts.length > maxParts ? ' and more' : ''
  return `${numbers.length === 1 ? 'request' : 'requests'} ${parts.slice(0, maxParts).join(', ')}${more}`
}

/**
 * Says why no request of a run without faults, which has some, can get a fault, or returns undefined if one can: `No
 * request can get a fault, since none got an ordinary response: 2 x 401.`
 */
export function describeNoPlace(requests: readonly RecordedRequest[]): string | undefined {
  if (requests.some(({ operation, isOrdinary }) => operation && isOrdinary)) return undefined
  const parts = [...groupBy(requests, describeResponseKind)].map(([kind, own]) => `${own.length} x ${kind}`)
  return `No request can get a fault, since none got an ordinary response: ${parts.join(', ')}.`
}

function describeResponseKind({ operation, occurrence, status }: RecordedRequest): string {
  if (!operation) return `${status} on no operation`
  return occurrence === 0 && status < 400 ? `${status} of a request that steers the simulator` : `${status}`
}
