import { failure, type Result, success } from '../../../base/core/result.ts'
import { describeKnown } from '../../../base/core/similar.ts'
import { cutText, endSentence } from '../../../base/core/text.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import {
  type ActiveScenario,
  type Catalogue,
  families,
  type ScenarioDefinition,
} from '../../../service/scenarios/definition.ts'
import { parseScenarios } from '../../../service/scenarios/parse.ts'
import { splitParts } from '../../../service/scenarios/split-text.ts'

/**
 * The question that a fault asks. `recover`: the fault passes, so a good client goes on, and the suite stays green.
 * `notice`: the response is wrong and stays wrong, so some test turns red.
 */
export type FaultQuestion = 'recover' | 'notice'

/** A scenario that a suite is tried with. */
export interface Fault {
  /** The set or family, and the scenario: `drift:drop-field`, `time:slow;ms=500`. */
  readonly name: string
  /** The set; of a scenario that was named alone the one that has it, or its family. */
  readonly group: string
  readonly scenario: ActiveScenario
  /** The only field that drifts, as a JSON pointer; undefined: each field. */
  readonly pointer: string | undefined
  readonly question: FaultQuestion
  /** True for drift, which stays from the first request on, as a new version of the service does. */
  readonly isLasting: boolean
}

/** The sets that are no family: scenarios by the question that they ask, with parameters that clients meet. */
const faultSets = {
  resilience: ['unavailable', 'rate-limited', 'slow', 'reset', 'truncated', 'lost-ack'],
  drift: ['drop-field', 'wrong-type', 'null-required', 'unknown-enum'],
  extremes: ['all-null', 'empty-lists', 'largest-numbers', 'longest-texts', 'strange-texts'],
} as const satisfies Record<string, readonly string[]>

const sets = Object.entries<readonly string[]>(faultSets)

/** The names that a set can have. `expectations` changes no response. */
export const groupNames: readonly string[] = [
  ...Object.keys(faultSets),
  ...families.filter((family) => family !== 'expectations' && !Object.hasOwn(faultSets, family)),
]

export interface FaultContext {
  readonly catalogue: Catalogue
  readonly operations: readonly Operation[]
}

/** The faults of `--set`. */
interface FaultSet {
  readonly faults: readonly Fault[]
  /** The scenarios of sets that fit no operation of the contract. */
  readonly unfitting: readonly string[]
}

/**
 * Parses the faults of `--set`: sets, families and scenarios, with commas between them. A scenario may follow its set,
 * as reports name it. One that is in several is tried once. Of a set those scenarios are left out that fit no
 * operation; the error is about one that is named alone, or about a set of which none is left.
 */
export function parseFaultSet(text: string, context: FaultContext): Result<FaultSet> {
  const parts = splitParts(text, ',')
  if (!parts.ok) return parts
  const named = parts.value.flatMap((part) => {
    if (!groupNames.includes(part)) return [{ ...splitName(part), isOfSet: false }]
    return scenariosOf(part, context.catalogue).map((scenario) => ({ scenario, group: part, isOfSet: true }))
  })
  const faults = new Map<string, Fault>()
  const problems = new Map<string, string>()
  for (const { scenario, group, isOfSet } of named) {
    const fault = parseFault(scenario, group, context)
    if (!fault.ok && !isOfSet) return fault
    if (!fault.ok) problems.set(scenario, fault.error)
    else if (!faults.has(scenario)) faults.set(scenario, fault.value)
  }
  if (faults.size > 0) return success({ faults: [...faults.values()], unfitting: [...problems.keys()] })
  const [problem = `There is no fault in "${text}". ${expectedSet}`] = problems.values()
  return failure(problem)
}

const expectedSet = `A set is ${groupNames.join(', ')}, or scenarios such as "slow;ms=500".`

/** Splits `drift:drop-field` into the set and the scenario. */
function splitName(text: string): { readonly scenario: string; readonly group: string | undefined } {
  const [, group = '', scenario = ''] = /^([a-z]+):(.+)$/.exec(text) ?? []
  return groupNames.includes(group) ? { scenario, group } : { scenario: text, group: undefined }
}

/** Returns the scenarios of a set or family. */
function scenariosOf(group: string, { definitions }: Catalogue): readonly string[] {
  const own = sets.find(([name]) => name === group)?.[1]
  return own ?? definitions.filter((one) => one.family === group && isUsableAlone(one)).map(({ name }) => name)
}

/** Returns the sets of a scenario, and its family last. */
function groupsOf({ name, family }: ScenarioDefinition): readonly string[] {
  return [...sets.filter(([, names]) => names.includes(name)).map(([group]) => group), family]
}

function isUsableAlone({ parameters }: ScenarioDefinition): boolean {
  return !parameters.some(({ required }) => required)
}

/** Parses a scenario as a fault. `group`: the set that it is from; undefined: the one that has it, or its family. */
export function parseFault(
  text: string,
  group: string | undefined,
  { catalogue, operations }: FaultContext,
): Result<Fault> {
  const scenario = parseOne(text, catalogue)
  if (!scenario.ok) return scenario
  const { definition, values } = scenario.value
  const groups = groupsOf(definition)
  if (group !== undefined && !groups.includes(group))
    return failure(`"${text}" is not in the set ${group}, but in ${[...new Set(groups)].join(' and ')}.`)
  const operation = findFittingOperation(scenario.value, operations)
  if (!operation.ok) return operation
  const effect = definition.effect(values)
  if (effect.kind === 'expect' || effect.kind === 'ordinary')
    return failure(`"${text}" is no fault: it changes nothing that a client sees. ${expectedSet}`)
  const lasting = effect.kind === 'drift' ? splitOffPointer(scenario.value) : undefined
  const [own = definition.family] = group === undefined ? groups : [group]
  return success({
    name: `${own}:${lasting?.scenario.text ?? text}`,
    group: own,
    scenario: lasting?.scenario ?? scenario.value,
    pointer: lasting?.pointer,
    question: isToBeNoticed(scenario.value, operation.value) ? 'notice' : 'recover',
    isLasting: lasting !== undefined,
  })
}

function parseOne(text: string, catalogue: Catalogue): Result<ActiveScenario> {
  const parsed = parseScenarios(text, catalogue)
  if (!parsed.ok) return failure(`${parsed.error} ${expectedSet}`)
  const [scenario] = parsed.value
  if (scenario && parsed.value.length === 1) return success(scenario)
  return failure(`"${text}" is not one scenario. ${expectedSet}`)
}

/** Splits a drift into the place that it names and the drift without a place. */
function splitOffPointer({ definition, values, text }: ActiveScenario) {
  const parts = text.split(';').filter((part) => !part.trim().startsWith('pointer'))
  const { pointer, ...others } = values
  const scenario = { definition, values: others, text: parts.join(';') }
  return { scenario, pointer: typeof pointer === 'string' ? pointer : undefined }
}

/** Finds an operation to which a scenario applies. */
function findFittingOperation(
  { definition, values, text }: ActiveScenario,
  operations: readonly Operation[],
): Result<Operation> {
  const reasons = operations.map((one) => definition.inapplicableReason(one, values))
  const operation = operations[reasons.indexOf(undefined)]
  if (operation) return success(operation)
  const { pointer } = values
  const known = [...new Set(operations.flatMap((one) => definition.pointers?.(one) ?? []))]
  if (typeof pointer === 'string' && known.length > 0)
    return failure(
      `"${text}" fits no operation: no response has such a field at ${cutText(pointer)}. ` +
        describeKnown(pointer, known),
    )
  return failure(endSentence(`"${text}" fits no operation: ${reasons[0] ?? 'the contract has none'}`))
}

/** Returns true for a wrong response that stays wrong: a drift, and a refusal that no retry changes. */
function isToBeNoticed({ definition, values }: ActiveScenario, operation: Operation): boolean {
  const effect = definition.effect(values)
  if (effect.kind === 'drift') return definition.name !== 'extra-field' // a new field breaks no careful reader
  if (effect.kind !== 'response') return false
  const { status } = effect.reply(operation)
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status)
}
