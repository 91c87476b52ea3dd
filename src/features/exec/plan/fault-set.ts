import { failure, type Result, success } from '../../../base/core/result.ts'
import { cutText, describeKnown, endSentence } from '../../../base/core/text.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { type ActiveScenario, type Catalogue, type Effect, families } from '../../../service/scenarios/definition.ts'
import { parseScenarios } from '../../../service/scenarios/parse.ts'
import { splitParts } from '../../../service/scenarios/split-text.ts'

export interface Fault {
  /** The set or family, followed by the scenario: `drift:drop-field`, `resilience:slow;ms=500`. */
  readonly name: string
  /** The set or family that the user named. Without one, the scenario's first set, or else the scenario's family. */
  readonly group: string
  readonly scenario: ActiveScenario
  /** The JSON Pointer of the one field to drift; undefined if the fault is not drift or each field gets its own run. */
  readonly pointer: string | undefined
  /**
   * `recover`: a client should be able to handle the fault, so the suite should pass. `notice`: retries cannot resolve
   * the fault, so at least one test should fail.
   */
  readonly expectedReaction: 'recover' | 'notice'
  /** True for drift, which affects all requests to an operation, as a new version of the service would. */
  readonly isLasting: boolean
}

/** A 429 with a date in `Retry-After`, which clients ignore if they parse only seconds. */
export const rateLimitedUntilDate = 'rate-limited;retry-after=date'

/** Statuses 503 and 429 with several forms of `Retry-After`, and gateway errors, whose bodies are not JSON. */
const outages = [
  ...['unavailable', 'rate-limited', rateLimitedUntilDate, 'unavailable;retry-after-ms=none'],
  ...['bad-gateway', 'gateway-timeout'],
]

/** Sets of scenarios with a common purpose. The `drift` set has only some scenarios of the `drift` family. */
const faultSets: Readonly<Record<string, readonly string[]>> = {
  resilience: [...outages, 'slow', 'reset', 'truncated', 'lost-ack'],
  drift: ['drop-field', 'wrong-type', 'null-required', 'unknown-enum'],
  extremes: ['all-null', 'empty-lists', 'largest-numbers', 'longest-texts', 'strange-texts'],
}

const groupNames: readonly string[] = [
  ...new Set([...Object.keys(faultSets), ...families.filter((family) => family !== 'expectations')]),
]

interface FaultContext {
  readonly catalogue: Catalogue
  readonly operations: readonly Operation[]
}

/**
 * Parses the value of `--set`: sets, families and scenarios, separated by commas. A scenario may have its set or family
 * as a prefix, as in reports. `inapplicable` lists the scenarios in a given set or family that apply to no operation.
 * Fails if no fault remains, or if a scenario that is named individually is not a fault or applies to no operation.
 */
export function parseFaultSet(
  text: string,
  context: FaultContext,
): Result<{ readonly faults: readonly Fault[]; readonly inapplicable: readonly string[] }> {
  const parts = splitParts(text, ',')
  if (!parts.ok) return parts
  const named = parts.value.flatMap((part) => {
    if (!groupNames.includes(part)) return [{ ...splitName(part), isFromSet: false }]
    return listScenarios(part, context.catalogue).map((scenario) => ({ scenario, group: part, isFromSet: true }))
  })
  const faults = new Map<string, Fault>()
  const problems = new Map<string, string>()
  for (const { scenario, group, isFromSet } of named) {
    const fault = parseFault(scenario, group, context)
    if (!fault.ok && !isFromSet) return fault
    if (!fault.ok) problems.set(scenario, fault.error)
    else if (!faults.has(scenario)) faults.set(scenario, fault.value)
  }
  if (faults.size > 0) return success({ faults: [...faults.values()], inapplicable: [...problems.keys()] })
  const [problem = `"${text}" does not name a fault. ${expectedSet}`] = problems.values()
  return failure(problem)
}

const expectedSet = `Expected ${groupNames.join(', ')}, or scenarios such as "slow;ms=500".`

function splitName(text: string): { readonly scenario: string; readonly group: string | undefined } {
  const [, group = '', scenario = ''] = /^([a-z]+):(.+)$/.exec(text) ?? []
  return groupNames.includes(group) ? { scenario, group } : { scenario: text, group: undefined }
}

function listScenarios(group: string, { definitions }: Catalogue): readonly string[] {
  const members = definitions.filter(
    ({ family, parameters }) => family === group && !parameters.some(({ required }) => required),
  )
  return faultSets[group] ?? members.map(({ name }) => name)
}

/** Parses a scenario as a fault. `group` defaults to the scenario's first set, or else to the scenario's family. */
function parseFault(text: string, group: string | undefined, { catalogue, operations }: FaultContext): Result<Fault> {
  const parsed = parseScenarios(text, catalogue)
  if (!parsed.ok) return failure(`${parsed.error} ${expectedSet}`)
  const [scenario, other] = parsed.value
  if (!scenario || other) return failure(`"${text}" is not a single scenario. ${expectedSet}`)
  const { definition, values } = scenario
  const sets = Object.keys(faultSets).filter((set) => faultSets[set]?.includes(definition.name))
  const groups: readonly string[] = [...sets, definition.family]
  if (group !== undefined && !groups.includes(group))
    return failure(`"${text}" is not in the set ${group}, but in ${[...new Set(groups)].join(' and ')}.`)
  const operation = findApplicableOperation(scenario, operations)
  if (!operation.ok) return operation
  const effect = definition.effect(values)
  if (effect.kind === 'expect' || effect.kind === 'ordinary')
    return failure(`"${text}" is not a fault: the request is handled normally. ${expectedSet}`)
  const isLasting = effect.kind === 'drift'
  const injection = isLasting ? splitOffPointer(scenario) : { scenario, pointer: undefined }
  const [own = definition.family] = group === undefined ? groups : [group]
  return success({
    name: `${own}:${injection.scenario.text}`,
    group: own,
    ...injection,
    expectedReaction: mustBeNoticed(definition.name, effect, operation.value) ? 'notice' : 'recover',
    isLasting,
  })
}

function splitOffPointer({ definition, values: { pointer, ...values }, text }: ActiveScenario) {
  const parts = text.split(';').filter((part) => !part.trim().startsWith('pointer'))
  return {
    scenario: { definition, values, text: parts.join(';') },
    pointer: typeof pointer === 'string' ? pointer : undefined,
  }
}

function findApplicableOperation(
  { definition, values, text }: ActiveScenario,
  operations: readonly Operation[],
): Result<Operation> {
  const reasons = operations.map((one) => definition.inapplicableReason?.(one, values))
  const operation = operations[reasons.indexOf(undefined)]
  if (operation) return success(operation)
  const { pointer } = values
  const known = [...new Set(operations.flatMap((one) => definition.pointers?.(one) ?? []))]
  if (typeof pointer === 'string' && known.length > 0)
    return failure(
      `"${text}" applies to no operation: it cannot change ${cutText(pointer)} in any response. ` +
        describeKnown(pointer, known),
    )
  return failure(endSentence(`"${text}" applies to no operation: ${reasons[0] ?? 'the contract has none'}`))
}

/** Returns true for a fault that retries cannot resolve: drift, or a client error other than 408, 425 and 429. */
function mustBeNoticed(name: string, effect: Effect, operation: Operation): boolean {
  if (effect.kind === 'drift') return name !== 'extra-field' // a new field does not break a tolerant reader
  if (effect.kind !== 'response' && effect.kind !== 'gateway') return false
  const { status } = effect.kind === 'gateway' ? effect.reply({ target: '/', now: 0 }) : effect.reply(operation)
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status)
}

export interface NamedRun {
  readonly fault: Fault
  readonly operation: string
  /** The number of the request; undefined for the first request that can get the fault. */
  readonly occurrence: number | undefined
  readonly pointer: string | undefined
}

/** Parses the name of a run: `drift:drop-field@getModelAnalytics/avgSafetyScore`, `resilience:reset@createEvent#2`. */
export function parseRunName(text: string, context: FaultContext): Result<NamedRun> {
  const [, group, scenario = '', target = ''] = /^(?:([a-z]+):)?([^@]+)@(.+)$/.exec(text) ?? []
  if (target === '')
    return failure(
      `"${text}" is not the name of a run. Expected FAULT@OPERATION, ` +
        'such as drift:drop-field@getModelAnalytics/avgSafetyScore or resilience:reset@createEvent#2.',
    )
  if (group !== undefined && !groupNames.includes(group))
    return failure(`Unknown set "${group}". ${describeKnown(group, groupNames)}`)
  const fault = parseFault(scenario, group, context)
  if (!fault.ok) return fault
  const ids = context.operations.map(({ id }) => id)
  // The ID of an operation without an operationId can begin with another such ID, so the longest matching ID wins.
  const [operation] = ids
    .filter((id) => target === id || target.startsWith(`${id}#`) || target.startsWith(`${id}/`))
    .sort((a, b) => b.length - a.length)
  if (operation === undefined) {
    const [unknownName = ''] = target.split(/[#/]/)
    return failure(`Unknown operation "${unknownName}". ${describeKnown(unknownName, ids)}`)
  }
  const rest = target.slice(operation.length)
  if (rest.startsWith('#') && !/^#[1-9]\d{0,8}$/.test(rest))
    return failure(`"${rest.slice(1)}" in "${text}" is not a request number. Requests are numbered from 1.`)
  return success({
    fault: fault.value,
    operation,
    occurrence: rest.startsWith('#') ? Number(rest.slice(1)) : undefined,
    pointer: rest.startsWith('/') ? rest : undefined,
  })
}
