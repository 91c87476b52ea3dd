import { canonicalJson, type Flaw, isObject, type JsonObject } from '../../base/core/json.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { endSentence } from '../../base/core/text.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import {
  type Condition,
  findDifferences,
  type MatchSubject,
  type RequestMatch,
  requestConditions,
} from '../exchange/match.ts'
import type { ActiveScenario, Catalogue } from './definition.ts'
import { parseScenarios, parseSequence, type Sequence } from './parse.ts'
import { findMatchProblems, findUnknownOperation, hasModelParameter } from './rule-match-problems.ts'

type WrittenRule = Partial<Pick<Rule, 'operation' | 'match' | 'times' | 'probability' | 'enabled'>> & {
  readonly scenario?: string
  /** The scenario's parameters, if `scenario` has none; parsing moves them into `scenario`. */
  readonly parameters?: JsonObject
  readonly sequence?: string
}

export interface Rule {
  /** The `operationId`, or undefined if the rule is for every operation. */
  readonly operation: string | undefined
  /** A subset of the conditions of `POST /__sim/verify`. */
  readonly match: Pick<RequestMatch, 'model' | 'product' | 'method' | 'path' | 'query' | 'header' | 'body' | 'traceId'>
  /** Scenarios that are applied together; empty if the rule has a sequence. */
  readonly scenarios: readonly ActiveScenario[]
  readonly sequence: Sequence | undefined
  /** The maximum number of requests to which the rule is applied, or undefined if there is no limit. */
  readonly times: number | undefined
  /** The probability (0 to 1) that the rule is applied to a matching request. The seed determines each outcome. */
  readonly probability: number
  readonly enabled: boolean
  readonly conditions: readonly Condition[]
  /** The JSON of the rule, with its `parameters` moved into `scenario`. */
  readonly source: JsonObject
}

export interface ActiveRule extends Rule {
  /** Identifies the rule's counts in the store. The counts of a rule with a new key start at 0. */
  readonly key: string
  /** The reason why the rule is skipped. Absent if the rule fits the current contract. */
  readonly skipReason?: string
}

/** Rules in the order in which they are tried. Only the first applicable rule is applied to a request. */
export type ActiveRules = readonly ActiveRule[]

/** Gives each rule the key of an identical rule in `former`, or else a new key based on `id`, which must be unused. */
export function activateRules(id: string, rules: readonly Rule[], former: ActiveRules = []): ActiveRules {
  const unmatched = [...former]
  return rules.map((rule, index): ActiveRule => {
    const text = canonicalJson(rule.source)
    const at = unmatched.findIndex(({ source }) => canonicalJson(source) === text)
    const [identical] = at < 0 ? [] : unmatched.splice(at, 1)
    return { ...rule, key: identical?.key ?? `${id} ${index}` }
  })
}

/** The rule that applied to a request. */
export interface AppliedRule extends RuleReference, Pick<ActiveRule, 'key'> {}

export interface ScopedRule extends RuleReference {
  readonly rule: ActiveRule
}

/** Lists the rules in the order in which they are tried: the sandbox rules, then the startup rules. */
export function listRulesInOrder(sandboxRules: ActiveRules, startupRules: ActiveRules): ScopedRule[] {
  return [
    ...sandboxRules.map((rule, index) => ({ rule, scope: 'sandbox', index }) as const),
    ...startupRules.map((rule, index) => ({ rule, scope: 'startup', index }) as const),
  ]
}

/** The keys of a rule's counts in the store. A sequence has a count for each operation, so its key is a prefix. */
export const ruleSequencePrefix = ({ key }: ActiveRule) => `rule sequence ${key} `
export const ruleTimesKey = ({ key }: ActiveRule) => `rule ${key}`
export const ruleAppliedKey = ({ key }: ActiveRule) => `applied rule ${key}`

/** The maximum number of rules in a sandbox, as in the control API document. */
export const maxRules = 1000

export interface RuleContext {
  readonly catalogue: Catalogue
  readonly contract: Contract
}

/** The check stops after this number of problems, because each message can list many names. */
const maxProblems = 100
const more = `There may be more problems, because the check stops after ${maxProblems}.`

/** Parses rules that are valid against `spec/scenarios.schema.json`. The error lists up to 100 problems. */
export function readRules(
  sources: readonly JsonObject[],
  context: RuleContext,
): Result<readonly Rule[], readonly Flaw[]> {
  const rules: Rule[] = []
  const problems: Flaw[] = []
  for (const [index, source] of sources.entries()) {
    const pointer = `/rules/${index}`
    const read = readRule(source, pointer, context)
    rules.push(read.rule)
    problems.push(...read.problems)
    if (problems.length >= maxProblems) return failure([...problems.slice(0, maxProblems), { pointer, message: more }])
  }
  return problems.length === 0 ? success(rules) : failure(problems)
}

/** Reads a stored rule. If the rule does not fit the current contract, `skipReason` contains the reason. */
export function readActiveRule(source: JsonObject, key: string, context: RuleContext): ActiveRule {
  const { rule, problems } = readRule(source, '', context)
  if (problems.length === 0) return { ...rule, key }
  return { ...rule, key, skipReason: problems.map(({ message }) => message).join(' ') }
}

function readRule(sent: JsonObject, pointer: string, context: RuleContext): { rule: Rule; problems: Flaw[] } {
  const { operations } = context.contract
  const source = withParametersInText(sent)
  const written = source as WrittenRule // validated against spec/scenarios.schema.json
  const { operation, match = {}, times, probability = 1, enabled = true } = written
  const ruleOperations = operations.filter(({ id }) => operation === undefined || id === operation)
  const affected = match.model === undefined ? ruleOperations : ruleOperations.filter(hasModelParameter)
  const action = readRuleAction(written, context.catalogue)
  const { scenarios, sequence } = action.ok ? action.value : { scenarios: [], sequence: undefined }
  const conditions = requestConditions({ operation, match })
  const rule: Rule = { operation, match, conditions, scenarios, sequence, times, probability, enabled, source }
  const unknown = findUnknownOperation(operation, operations)
  const problems = [
    ...(unknown === undefined ? [] : [{ pointer: `${pointer}/operation`, message: unknown }]),
    ...(action.ok ? [] : [{ ...action.error, pointer: pointer + action.error.pointer }]),
    ...listInapplicable(rule, affected).map((message) => ({ pointer, message })),
    ...findMatchProblems(match, `${pointer}/match`, context.contract, ruleOperations),
  ]
  return { rule, problems }
}

/** Moves a rule's `parameters` into its `scenario` (`slow;ms=200`), or leaves them for `readRuleAction` to reject. */
function withParametersInText({ parameters, ...rule }: JsonObject): JsonObject {
  const { scenario } = rule
  if (!isObject(parameters)) return rule
  const texts = Object.entries(parameters).map(([name, value]) => `;${name}=${quote([value].flat().join('|'))}`)
  const isWritable =
    typeof scenario === 'string' && !/[;,]/.test(scenario) && !texts.some((text) => /".*".*"/.test(text))
  return isWritable ? { ...rule, scenario: scenario + texts.join('') } : { ...rule, parameters }
}

const quote = (text: string) => (/[;,"]|^\s|\s$/.test(text) ? `"${text}"` : text)

type RuleAction = Pick<Rule, 'scenarios' | 'sequence'>

function readRuleAction(
  { scenario, parameters, sequence }: WrittenRule,
  catalogue: Catalogue,
): Result<RuleAction, Flaw> {
  const flawAt = (member: string, message: string) => failure({ pointer: `/${member}`, message })
  if (parameters)
    return flawAt(
      'parameters',
      'With parameters, "scenario" must be one name, and values must not contain quotation marks.',
    )
  if (sequence !== undefined) {
    if (scenario !== undefined) return flawAt('sequence', 'A rule must have either a scenario or a sequence, not both.')
    const parsed = parseSequence(sequence, catalogue)
    return parsed.ok ? success({ scenarios: [], sequence: parsed.value }) : flawAt('sequence', parsed.error)
  }
  const parsed = parseScenarios(scenario ?? '', catalogue)
  if (!parsed.ok) return flawAt('scenario', parsed.error)
  if (parsed.value.length === 0) return flawAt('scenario', 'The rule does not activate any scenario.')
  return success({ scenarios: parsed.value, sequence: undefined })
}

/** Returns the first member of the rule, if any, that prevents a match, such as `enabled` or `match/header/x-team`. */
export function findMismatch(rule: Rule, subject: MatchSubject): string | undefined {
  if (!rule.enabled) return 'enabled'
  const [difference] = findDifferences(rule.conditions, subject)
  return difference && (difference.field === 'operation' ? 'operation' : `match/${difference.field}`)
}

/** Returns a sentence for each scenario that does not apply to any of the operations. */
export function listInapplicable({ scenarios, sequence }: RuleAction, operations: readonly Operation[]): string[] {
  const all = [...scenarios, ...(sequence?.items.map(({ scenario }) => scenario) ?? [])]
  return all.flatMap(({ definition, values, text }) => {
    const reasons = operations.map((operation) => definition.inapplicableReason?.(operation, values))
    const isInapplicable = reasons.length > 0 && reasons.every((reason) => reason !== undefined)
    return isInapplicable ? [endSentence(`"${text}" does not apply here: ${reasons[0]}`)] : []
  })
}

/** Identifies a rule by its index (from 0) in the list of its scope. That list can be replaced later. */
export interface RuleReference {
  readonly scope: 'sandbox' | 'startup'
  readonly index: number
}
