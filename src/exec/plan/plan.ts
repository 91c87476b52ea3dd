/**
 * Faults against a test suite: plan, verdicts, report.
 * `fault-set.ts` reads the faults, `request-recorder.ts` records the requests of a run, this file plans a run for each fault at each
 * place, `left-out.ts` chooses the requests that they strike, `choose-runs.ts` orders and bounds the runs, `verdict.ts` judges them, and
 * `suite-report.ts` is what `formats/` render.
 */
import type { Operation } from '../../contract/contract.ts'
import type { ActiveScenario } from '../../scenarios/definition.ts'
import type { Fault } from './fault-set.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { chooseRequests, type LeftOut, type RequestChoice } from './skipped-requests.ts'

/** One run of the command: a fault, and the place at which a request meets it. */
export interface PlannedRun {
  readonly fault: Fault
  /** The id of the operation. */
  readonly operation: string
  /** The number of the request among those of its operation, from 1. Drift begins with the first request, and stays. */
  readonly occurrence: number
  /** The field of the answer that drifts, as a JSON pointer with a star for the items of an array; undefined for other faults. */
  readonly pointer: string | undefined
  /** False: no answer of the plain run has the field, so that there is nothing to run. */
  readonly isReachable: boolean
}

/** All runs of a suite. */
export interface SuitePlan {
  /** In the order of the faults, then of the operations, then of their requests or fields. */
  readonly runs: readonly PlannedRun[]
  /** The number of runs that are left out, since equal requests meet the same fault. */
  readonly equivalent: number
  /** The requests that no run strikes for that reason. */
  readonly leftOut: readonly LeftOut[]
}

/** An operation with the requests of the plain run that can meet a fault. */
interface Target extends RequestChoice {
  readonly operation: Operation
  readonly requests: readonly RecordedRequest[]
}

/**
 * Plans a run for each fault at each place that the plain run has shown. `strikesAll`: equal requests are struck, too, as `--only` can
 * name each.
 */
export function planRuns(
  requests: readonly RecordedRequest[],
  faults: readonly Fault[],
  { strikesAll = false } = {},
): SuitePlan {
  const targets = listTargets(requests, strikesAll)
  const passing = faults.filter(({ isLasting }) => !isLasting)
  const thinned = targets.filter(({ operation }) => passing.some((fault) => canMeet(operation, fault)))
  const omitted = thinned.map(
    ({ operation, requests: own, struck }) =>
      passing.filter((fault) => canMeet(operation, fault)).length * (own.length - struck.length),
  )
  return {
    runs: faults.flatMap((fault) =>
      targets.flatMap((target) =>
        fault.isLasting ? planFields(fault, target) : planRequests(fault, target),
      ),
    ),
    equivalent: omitted.reduce((sum, count) => sum + count, 0),
    leftOut: thinned.flatMap(({ leftOut }) => leftOut),
  }
}

/** Returns true for a fault that fits an operation. */
function canMeet(operation: Operation, { scenario: { definition, values } }: Fault): boolean {
  return definition.inapplicableReason(operation, values) === undefined
}

/** Lists the operations that have answered at least one request as the contract says, sorted by id. */
function listTargets(requests: readonly RecordedRequest[], strikesAll: boolean): Target[] {
  const byOperation = new Map<Operation, RecordedRequest[]>()
  for (const request of requests) {
    if (!request.operation || !request.isOrdinary) continue
    const own = byOperation.get(request.operation)
    if (own) own.push(request)
    else byOperation.set(request.operation, [request])
  }
  return [...byOperation]
    .map(([operation, own]) => {
      const sorted = own.sort((a, b) => a.occurrence - b.occurrence)
      const choice = strikesAll ? { struck: sorted, leftOut: [] } : chooseRequests(operation.id, sorted)
      return { operation, requests: sorted, ...choice }
    })
    .sort((a, b) => (a.operation.id < b.operation.id ? -1 : 1))
}

/** Plans a fault of single requests. */
function planRequests(fault: Fault, { operation, struck }: Target): PlannedRun[] {
  if (!canMeet(operation, fault)) return []
  return struck.map(({ occurrence }) => ({
    fault,
    operation: operation.id,
    occurrence,
    pointer: undefined,
    isReachable: true,
  }))
}

/** Plans a drift at each field that the contract has. */
function planFields(fault: Fault, { operation, requests }: Target): PlannedRun[] {
  const pointers = fault.scenario.definition.pointers?.(operation) ?? []
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  const bodies = [...new Set(requests.map(({ answer }) => answer))]
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

/** Names a run as `--only` takes it: `drift:drop-field@getModelAnalytics/avgSafetyScore`, `resilience:reset@createEvent#2`. */
export function nameRun({ fault, operation, occurrence, pointer }: PlannedRun): string {
  return `${fault.name}@${operation}${pointer ?? `#${occurrence}`}`
}
