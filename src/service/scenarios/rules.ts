import { canonicalJson, isObject, type JsonObject } from '../../base/core/json.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { endSentence } from '../../base/core/text.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { type Condition, type MatchSubject, type RequestMatch, requestConditions } from '../exchange/match.ts'
import type { ActiveScenario, Catalogue } from './definition.ts'
import { parseScenarios, parseSequence, type Sequence } from './parse.ts'
import { asksForModel, findMatchProblems, findUnknownOperation, type RuleProblem } from './rule-match-problems.ts'

/** The requests that a rule matches: the conditions of `POST /__sim/verify`, except those on the response. */
type RuleMatch = Pick<RequestMatch, 'model' | 'product' | 'method' | 'path' | 'query' | 'header' | 'body'>

/** A rule: scenarios, or a sequence, for all requests that it matches. */
export interface Rule {
  /** `operationId`; absent: every operation. */
  readonly operation: string | undefined
  readonly match: RuleMatch
  /** Scenarios that act together; empty where the rule has a sequence. */
  readonly scenarios: readonly ActiveScenario[]
  readonly sequence: Sequence | undefined
  /** The number of requests that the rule acts on at most; undefined: unlimited. */
  readonly times: number | undefined
  /** The probability, 0 to 1, that the rule acts; drawn by the seed for each request. */
  readonly probability: number
  readonly enabled: boolean
  /** The conditions of `operation` and `match`, prepared once. */
  readonly conditions: readonly Condition<MatchSubject>[]
  /** The rule as JSON, as it was put. */
  readonly source: JsonObject
}

/** A rule that is switched on. */
export interface ActiveRule extends Rule {
  /** The rule's part of the store's keys for its counts. A rule that is put again gets a new key, and counts from 0. */
  readonly key: string
  /** The reason why the rule is passed over since the contract was loaded again; undefined if it still fits. */
  readonly misfit?: string
}

/** Rules in their order; on each request only the first rule acts that can. */
export type ActiveRules = readonly ActiveRule[]

/** Gives rules their keys, which begin with the unused `id`. A rule among the `former` ones keeps its key. */
export function activateRules(id: string, rules: readonly Rule[], former: ActiveRules = []): ActiveRules {
  const free = [...former]
  return rules.map((rule, index): ActiveRule => {
    const text = canonicalJson(rule.source)
    const at = free.findIndex(({ source }) => canonicalJson(source) === text)
    const [same] = at < 0 ? [] : free.splice(at, 1)
    return { ...rule, key: same?.key ?? `${id} ${index}` }
  })
}

/** Returns the prefix of the store's key for a rule's sequence, so that rules of the same text count separately. */
export function ruleSequencePrefix({ key }: ActiveRule): string {
  return `rule sequence ${key} `
}

/** Returns the store's key for the number of requests that used up one of a rule's `times`. */
export function ruleTimesKey({ key }: ActiveRule): string {
  return `rule ${key}`
}

/** Returns the store's key for the number of requests that a rule acted on. */
export function ruleActedKey({ key }: ActiveRule): string {
  return `acted rule ${key}`
}

/** The largest number of rules of a sandbox, as in the control document. */
export const maxRules = 1000

/** The names that rules may use. */
export interface RuleContext {
  readonly catalogue: Catalogue
  readonly contract: Contract
}

/** The number of problems after which the check of rules ends; each lists all names that it knows. */
const maxProblems = 100

/** Parses `{rules: [...]}` that fits `spec/scenarios.schema.json`. The error lists the first 100 problems. */
export function readRules(document: JsonObject, context: RuleContext): Result<readonly Rule[], readonly RuleProblem[]> {
  const sources = Array.isArray(document['rules']) ? document['rules'] : []
  const rules: Rule[] = []
  const problems: RuleProblem[] = []
  for (const [index, source] of sources.entries()) {
    if (!isObject(source)) continue
    const read = readRule(source, `/rules/${index}`, context)
    rules.push(read.rule)
    problems.push(...read.problems)
    if (problems.length >= maxProblems) break
  }
  if (problems.length === 0) return success(rules)
  return failure(problems.length < maxProblems ? problems : [...problems.slice(0, maxProblems), moreProblems])
}

/** Reads a rule that was put before. One that does not fit the contract stays in its place with the reason. */
export function readActiveRule(source: JsonObject, key: string, context: RuleContext): ActiveRule {
  const { rule, problems } = readRule(source, '', context)
  if (problems.length === 0) return { ...rule, key }
  return { ...rule, key, misfit: problems.map(({ message }) => message).join(' ') }
}

/** The problem that stands for those that were not looked for. */
export const moreProblems: RuleProblem = {
  pointer: '/rules',
  message: `There may be more problems: the check stops after ${maxProblems}.`,
}

function readRule(source: JsonObject, pointer: string, context: RuleContext): { rule: Rule; problems: RuleProblem[] } {
  const { operations } = context.contract
  const operation = textIn(source, 'operation')
  const ruleOperations = operations.filter(({ id }) => operation === undefined || id === operation)
  const action = readRuleAction(source, context.catalogue)
  const match = (isObject(source['match']) ? source['match'] : {}) as RuleMatch // proved by spec/scenarios.schema.json
  const rule: Rule = {
    operation,
    match,
    conditions: requestConditions({ operation, match }),
    ...(action.ok ? action.value : noAction),
    times: numberIn(source, 'times'),
    probability: numberIn(source, 'probability') ?? 1,
    enabled: source['enabled'] !== false,
    source,
  }
  const unknown = findUnknownOperation(operation, operations)
  const problems = [
    ...(unknown === undefined ? [] : [{ pointer: `${pointer}/operation`, message: unknown }]),
    ...(action.ok ? [] : [{ pointer: `${pointer}/${action.error.field}`, message: action.error.message }]),
    ...listInapplicable(rule, match.model === undefined ? ruleOperations : ruleOperations.filter(asksForModel)).map(
      (message) => ({ pointer, message }),
    ),
    ...findMatchProblems(match, `${pointer}/match`, context.contract, ruleOperations),
  ]
  return { rule, problems }
}

/** The scenarios or the sequence that a rule switches on. */
type RuleAction = Pick<Rule, 'scenarios' | 'sequence'>

const noAction: RuleAction = { scenarios: [], sequence: undefined }

/** Reads the action of a rule. The error has the field at fault. */
function readRuleAction(
  source: JsonObject,
  catalogue: Catalogue,
): Result<RuleAction, { readonly field: 'scenario' | 'sequence'; readonly message: string }> {
  const sequenceText = textIn(source, 'sequence')
  if (sequenceText !== undefined && textIn(source, 'scenario') !== undefined)
    return failure({ field: 'sequence', message: 'A rule has either a scenario or a sequence.' })
  if (sequenceText !== undefined) {
    const parsed = parseSequence(sequenceText, catalogue)
    if (!parsed.ok) return failure({ field: 'sequence', message: parsed.error })
    return success({ scenarios: [], sequence: parsed.value })
  }
  const parsed = parseScenarios(textIn(source, 'scenario') ?? '', catalogue)
  if (!parsed.ok) return failure({ field: 'scenario', message: parsed.error })
  if (parsed.value.length === 0) return failure({ field: 'scenario', message: 'The rule switches nothing on.' })
  return success({ scenarios: parsed.value, sequence: undefined })
}

/** Returns a sentence for each scenario that makes sense for none of the operations. */
export function listInapplicable({ scenarios, sequence }: RuleAction, operations: readonly Operation[]): string[] {
  const all = [...scenarios, ...(sequence?.items.map(({ scenario }) => scenario) ?? [])]
  return all.flatMap(({ definition, values, text }) => {
    const reasons = operations.map((operation) => definition.inapplicableReason(operation, values))
    const isInapplicable = reasons.length > 0 && reasons.every((reason) => reason !== undefined)
    return isInapplicable ? [endSentence(`"${text}" makes no sense here: ${reasons[0]}`)] : []
  })
}

const textIn = (source: JsonObject, name: string) => {
  const value = source[name]
  return typeof value === 'string' ? value : undefined
}

const numberIn = (source: JsonObject, name: string) => {
  const value = source[name]
  return typeof value === 'number' ? value : undefined
}
