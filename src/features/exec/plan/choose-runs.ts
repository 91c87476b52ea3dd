import { groupBy } from '../../../base/core/group-by.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { deriveChance } from '../../../base/core/seeded.ts'
import { describeKnown } from '../../../base/core/similar.ts'
import type { EachSettings } from '../settings.ts'
import { type Fault, type FaultContext, groupNames, parseFault } from './fault-set.ts'
import { nameRun, type PlannedRun } from './plan.ts'

/** Returns the runs to make. With a bound, the seed draws and orders them; without, they keep the order of the plan. */
export function chooseRuns(
  runs: readonly PlannedRun[],
  { seed, maxRuns, time }: Pick<EachSettings, 'seed' | 'maxRuns' | 'time'>,
): readonly PlannedRun[] {
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

/** The run that `--only` names. */
export interface NamedRun {
  readonly fault: Fault
  readonly operation: string
  /** The number of the request, or undefined for the first one that gets the fault. */
  readonly occurrence: number | undefined
  /** The pointer of the field, or undefined for every field. */
  readonly pointer: string | undefined
}

/** Parses `drift:drop-field@getModelAnalytics/avgSafetyScore` or `resilience:reset@createEvent#2`. */
export function parseRunName(text: string, context: FaultContext): Result<NamedRun> {
  const [, group, scenario = '', place = ''] = /^(?:([a-z]+):)?([^@]+)@(.+)$/.exec(text) ?? []
  if (place === '')
    return failure(
      `"${text}" names no run. A run is FAULT@OPERATION, ` +
        'such as drift:drop-field@getModelAnalytics/avgSafetyScore or resilience:reset@createEvent#2.',
    )
  if (group !== undefined && !groupNames.includes(group))
    return failure(`There is no set "${group}". ${describeKnown(group, groupNames)}`)
  const fault = parseFault(scenario, group, context)
  if (!fault.ok) return fault
  const ids = context.operations.map(({ id }) => id)
  // An operation without an id of its own is named by its method and path, so the longest id that fits is meant.
  const [operation] = ids
    .filter((id) => place === id || place.startsWith(`${id}#`) || place.startsWith(`${id}/`))
    .sort((a, b) => b.length - a.length)
  if (operation === undefined) {
    const [written = ''] = place.split(/[#/]/)
    return failure(`There is no operation "${written}". ${describeKnown(written, ids)}`)
  }
  const rest = place.slice(operation.length)
  if (rest.startsWith('#') && !/^#[1-9]\d{0,8}$/.test(rest))
    return failure(`"${rest.slice(1)}" of "${text}" is not the number of a request, which is 1 or more.`)
  return success({
    fault: fault.value,
    operation,
    occurrence: rest.startsWith('#') ? Number(rest.slice(1)) : undefined,
    pointer: rest.startsWith('/') ? rest : undefined,
  })
}

/** Returns the planned runs that a name means. The error lists the places of the fault that the suite reaches. */
export function pickNamedRuns(runs: readonly PlannedRun[], named: NamedRun): Result<readonly PlannedRun[]> {
  const ofOperation = runs.filter((run) => run.operation === named.operation && run.isReachable)
  const fitting = ofOperation.filter(
    (run) =>
      (named.occurrence === undefined || run.occurrence === named.occurrence) &&
      (named.pointer === undefined || run.pointer === named.pointer),
  )
  const [first] = fitting
  if (first) return success(named.pointer === undefined && first.pointer !== undefined ? fitting : [first])
  const names = ofOperation.map(nameRun)
  const place = `${named.pointer ?? (named.occurrence === undefined ? '' : `#${named.occurrence}`)}`
  const name = `${named.fault.name}@${named.operation}${place}`
  if (names.length === 0) return failure(`Nowhere to inject ${name}: no request of the suite can get this fault.`)
  return failure(`Nowhere to inject ${name}. ${describeKnown(name, names)}`)
}
