/** Plans the runs of a test suite: combinations of a fault and a target. `fault-set.ts` parses the faults. */
import { groupBy } from '../../../base/core/group-by.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { deriveChance } from '../../../base/core/seeded.ts'
import { describeKnown } from '../../../base/core/text.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import type { ActiveScenario } from '../../../service/scenarios/definition.ts'
import type { RecordedRequest } from '../runs/recorded-request.ts'
import type { EachSettings } from '../settings.ts'
import type { Fault, NamedRun } from './fault-set.ts'

/** One run of the command: a fault, and the request or field to inject it into. `pointer` is set only for drift. */
export interface PlannedRun extends NamedRun {
  /** The same number as in `RecordedRequest`; 1 for drift, which starts with the first request. */
  readonly occurrence: number
  /** False if the field cannot drift in any response of the baseline run. Unreachable runs are not executed. */
  readonly isReachable: boolean
}

export interface SuitePlan {
  /** Ordered by fault, then by operation, then by request or field. */
  readonly runs: readonly PlannedRun[]
  /** The number of runs left out because other runs inject the same fault into similar requests. */
  readonly skippedRuns: number
  readonly skippedRequests: readonly SkippedRequests[]
}

/** Requests to one operation. They get no runs, since they differ from those in `similarTo` only in values. */
export interface SkippedRequests {
  readonly operation: string
  readonly occurrences: readonly number[]
  /** The numbers of the first and last similar requests, which get runs. */
  readonly similarTo: readonly number[]
}

/** An operation, and its requests that got ordinary responses. */
interface UsedOperation {
  readonly operation: Operation
  readonly requests: readonly RecordedRequest[]
}

/** Plans the runs for each fault, or the runs that `--only` names. The error says why there is no target. */
export function planRuns(
  requests: readonly RecordedRequest[],
  { faults, only }: { readonly faults: readonly Fault[]; readonly only?: NamedRun | undefined },
): Result<SuitePlan> {
  const used = listUsedOperations(requests)
  if (used.length === 0) return failure(describeNoTarget(requests))
  const all = faults.flatMap((fault) =>
    used.flatMap((one) => (fault.isLasting ? planFields(fault, one) : planRequests(fault, one))),
  )
  if (only) {
    const runs = pickNamedRuns(all, only)
    return runs.ok ? success({ runs: runs.value, skippedRuns: 0, skippedRequests: [] }) : runs
  }
  const targetOf = (operation: string, occurrence: number) => `${operation}#${occurrence}`
  const candidates = used.flatMap(listSkippedRequests)
  const similar = new Set(candidates.flatMap((one) => one.occurrences.map((number) => targetOf(one.operation, number))))
  const runs = all.filter((run) => run.fault.isLasting || !similar.has(targetOf(run.operation, run.occurrence)))
  const targeted = new Set(runs.flatMap(({ fault, operation }) => (fault.isLasting ? [] : operation)))
  const skippedRequests = candidates.filter(({ operation }) => targeted.has(operation))
  return success({ runs, skippedRuns: all.length - runs.length, skippedRequests })
}

function listUsedOperations(requests: readonly RecordedRequest[]): UsedOperation[] {
  const ordinary = requests.filter(({ isOrdinary }) => isOrdinary).sort((a, b) => a.occurrence - b.occurrence)
  return [...groupBy(ordinary, ({ operation }) => operation)]
    .flatMap(([operation, own]) => (operation ? [{ operation, requests: own }] : []))
    .sort((one, other) => (one.operation.id < other.operation.id ? -1 : 1))
}

/**
 * Lists an operation's requests that get no run. Among requests that differ only in values, the first and the last
 * get runs, since different clients may have sent them.
 */
function listSkippedRequests({ operation, requests }: UsedOperation): SkippedRequests[] {
  return [...groupBy(requests, ({ signature }) => signature).values()]
    .map((similar) => similar.map(({ occurrence }) => occurrence))
    .filter(({ length }) => length > 2)
    .map((all) => ({
      operation: operation.id,
      occurrences: all.slice(1, -1),
      similarTo: [...all.slice(0, 1), ...all.slice(-1)],
    }))
}

function planRequests(fault: Fault, { operation, requests }: UsedOperation): PlannedRun[] {
  const { definition, values } = fault.scenario
  if (definition.inapplicableReason?.(operation, values) !== undefined) return []
  const shared = { fault, operation: operation.id, pointer: undefined, isReachable: true }
  return requests.map(({ occurrence }) => ({ ...shared, occurrence }))
}

function planFields(fault: Fault, { operation, requests }: UsedOperation): PlannedRun[] {
  const { scenario, pointer: only } = fault
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  const bodies = [...new Set(requests.map(({ response }) => response))]
  const plan = (pointer: string): PlannedRun => {
    const effect = scenario.definition.effect(atPointer(scenario, pointer).values)
    const canDrift = (body: RecordedRequest['response']) =>
      body !== undefined && effect.kind === 'drift' && schema !== undefined && effect.damage(body, schema, '').ok
    return { fault, operation: operation.id, occurrence: 1, pointer, isReachable: bodies.some(canDrift) }
  }
  // A pointer from the user may address an individual list item, which `pointers` does not list.
  if (only !== undefined) return [plan(only)].filter(({ isReachable }) => isReachable)
  return scenario.definition.pointers?.(operation).map(plan) ?? []
}

function atPointer(scenario: ActiveScenario, pointer: string): ActiveScenario {
  const values = { ...scenario.values, pointer }
  return { ...scenario, values, text: `${scenario.text};pointer=${pointer}` }
}

export function scenarioOf({ fault, pointer }: PlannedRun): ActiveScenario {
  return pointer === undefined ? fault.scenario : atPointer(fault.scenario, pointer)
}

/** Returns a run's name: `drift:drop-field@getModelAnalytics/avgSafetyScore`, `resilience:reset@createEvent#2`. */
export function nameRun({ fault, operation, occurrence, pointer }: NamedRun): string {
  return `${fault.name}@${operation}${pointer ?? (occurrence === undefined ? '' : `#${occurrence}`)}`
}

/** Returns up to `maxRuns` reachable runs. Shuffles them first if `maxRuns` or `time` may exclude some of them. */
export function chooseRuns(
  planned: readonly PlannedRun[],
  { seed, maxRuns, time }: Pick<EachSettings, 'seed' | 'maxRuns' | 'time'>,
): readonly PlannedRun[] {
  const runs = planned.filter(({ isReachable }) => isReachable)
  const isBounded = time !== undefined || (maxRuns !== undefined && maxRuns < runs.length)
  return (isBounded ? shuffleByGroup(runs, seed) : runs).slice(0, maxRuns)
}

/** Shuffles the runs, alternating between groups, so that drift, which has many runs, does not crowd out others. */
function shuffleByGroup(runs: readonly PlannedRun[], seed: string): readonly PlannedRun[] {
  const shuffled = runs
    .map((run) => ({ run, chance: deriveChance([seed, 'suite', nameRun(run)]) }))
    .sort((one, other) => one.chance - other.chance)
  return [...groupBy(shuffled, ({ run }) => run.fault.group).values()]
    .flatMap((own) => own.map((one, turn) => ({ ...one, turn })))
    .sort((one, other) => one.turn - other.turn || one.chance - other.chance)
    .map(({ run }) => run)
}

function pickNamedRuns(runs: readonly PlannedRun[], named: NamedRun): Result<readonly PlannedRun[]> {
  const { operation, occurrence, pointer } = named
  const ofOperation = runs.filter((run) => run.operation === operation && run.isReachable)
  const matches = ofOperation.filter(
    (run) => run.occurrence === (occurrence ?? run.occurrence) && run.pointer === (pointer ?? run.pointer),
  )
  const [first] = matches
  if (first) return success(first.fault.isLasting ? matches : [first])
  if (ofOperation.length === 0)
    return failure(`There is nowhere to inject ${nameRun(named)}: no request to ${operation} can get this fault.`)
  const hint = describeKnown(nameRun(named), ofOperation.map(nameRun))
  return failure(`There is nowhere to inject ${nameRun(named)}. ${hint}`)
}

function describeNoTarget(requests: readonly RecordedRequest[]): string {
  const parts = [...groupBy(requests, describeResponse)].map(([kind, own]) => `${own.length} x ${kind}`)
  return `No fault can be injected, since no request got an ordinary response: ${parts.join(', ')}.`
}

function describeResponse({ operation, occurrence, status }: RecordedRequest): string {
  if (!operation) return `${status} (no operation)`
  return occurrence === 0 && status < 400 ? `${status} to a request that controls the simulator` : `${status}`
}
