import type { Contract, Operation } from '../contract/contract.ts'
import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.ts'
import { valueAt } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { ActiveScenario, Catalogue } from './definition.ts'
import { parseScenarios, parseSequence, type Sequence } from './parse.ts'

/** Which requests a rule is about; what is absent does not narrow. */
export interface RuleMatch {
  /** Id of the model that is asked for. */
  readonly model?: string
  /** `productId` of the body; for analytics the product that the model belongs to by the fixtures. */
  readonly product?: string
  /** Lower-case names with the exact values. */
  readonly header?: Readonly<Record<string, string>>
  /** JSON pointers into the body with the exact values. */
  readonly body?: Readonly<Record<string, Json>>
}

/** One thing switched on for many requests. */
export interface Rule {
  /** `operationId`; absent: every operation. */
  readonly operation: string | undefined
  readonly match: RuleMatch
  /** Either scenarios that act together, or a sequence. */
  readonly scenarios: readonly ActiveScenario[]
  readonly sequence: Sequence | undefined
  /** For so many requests; undefined: for all. */
  readonly times: number | undefined
  /** 0 to 1, drawn by the seed for each request. */
  readonly probability: number
  readonly enabled: boolean
  /** As it was given. */
  readonly source: JsonObject
}

/** Rules in their order; the first that acts on a request is the only one that does. */
export interface RuleSet {
  /** Another id, other counts: rules that are put anew begin anew. */
  readonly id: string
  readonly rules: readonly Rule[]
}

/** What the key of the count of a rule's sequence begins with: rules that are written alike count each for itself. */
export function ruleSequencePrefix({ id }: RuleSet, index: number): string {
  return `rule sequence ${id} ${index} `
}

export const noRules: RuleSet = { id: 'none', rules: [] }

/** Something wrong with a rule, at its JSON pointer. */
export interface RuleProblem {
  readonly pointer: string
  readonly message: string
}

/** What rules are read against. */
export interface RuleContext {
  readonly catalogue: Catalogue
  readonly contract: Contract
}

/** Reads `{rules: [...]}` that fits `spec/scenarios.schema.json`; names everything that does not exist or makes no sense. */
export function readRules(
  document: JsonObject,
  context: RuleContext,
): Result<readonly Rule[], readonly RuleProblem[]> {
  const sources = (Array.isArray(document['rules']) ? document['rules'] : []).filter(isObject)
  const read = sources.map((source, index) => readRule(source, `/rules/${index}`, context))
  const problems = read.flatMap((one) => one.problems)
  return problems.length > 0 ? failure(problems) : success(read.map(({ rule }) => rule))
}

function readRule(
  source: JsonObject,
  pointer: string,
  context: RuleContext,
): { rule: Rule; problems: RuleProblem[] } {
  const { operations } = context.contract
  const operation = textIn(source, 'operation')
  const about = operations.filter(({ id }) => operation === undefined || id === operation)
  const acting = readActing(source, context.catalogue)
  const match: RuleMatch = isObject(source['match']) ? lowerCaseHeaders(source['match']) : {}
  const rule: Rule = {
    operation,
    match,
    ...(acting.ok ? acting.acting : nothing),
    times: numberIn(source, 'times'),
    probability: numberIn(source, 'probability') ?? 1,
    enabled: source['enabled'] !== false,
    source,
  }
  const unknown =
    about.length > 0
      ? []
      : [`There is no operation "${operation}". Known: ${operations.map(({ id }) => id).join(', ')}.`]
  const problems = [
    ...unknown.map((message) => ({ pointer: `${pointer}/operation`, message })),
    ...(acting.ok ? [] : [{ pointer: `${pointer}/${acting.at}`, message: acting.problem }]),
    ...misfits(rule, about).map((message) => ({ pointer, message })),
    ...matchProblems(match, `${pointer}/match`, about),
  ]
  return { rule, problems }
}

type ActingPart = Pick<Rule, 'scenarios' | 'sequence'>

const nothing: ActingPart = { scenarios: [], sequence: undefined }

type Acting =
  | { readonly ok: true; readonly acting: ActingPart }
  | { readonly ok: false; readonly at: 'scenario' | 'sequence'; readonly problem: string }

function readActing(source: JsonObject, catalogue: Catalogue): Acting {
  const sequenceText = textIn(source, 'sequence')
  if (sequenceText !== undefined && textIn(source, 'scenario') !== undefined)
    return { ok: false, at: 'sequence', problem: 'A rule has either a scenario or a sequence.' }
  if (sequenceText !== undefined) {
    const parsed = parseSequence(sequenceText, catalogue)
    if (!parsed.ok) return { ok: false, at: 'sequence', problem: parsed.error }
    return { ok: true, acting: { scenarios: [], sequence: parsed.value } }
  }
  const parsed = parseScenarios(textIn(source, 'scenario') ?? '', catalogue)
  if (!parsed.ok) return { ok: false, at: 'scenario', problem: parsed.error }
  if (parsed.value.length === 0)
    return { ok: false, at: 'scenario', problem: 'The rule switches nothing on.' }
  return { ok: true, acting: { scenarios: parsed.value, sequence: undefined } }
}

/** A rule may be wider than its scenarios, but not so that one of them fits none of its operations. */
function misfits({ scenarios, sequence }: ActingPart, operations: readonly Operation[]): string[] {
  const all = [...scenarios, ...(sequence?.items.map(({ scenario }) => scenario) ?? [])]
  return all.flatMap(({ definition, values, text }) => {
    const reasons = operations.map((operation) => definition.inapplicableReason(operation, values))
    const everywhere = reasons.length > 0 && reasons.every((reason) => reason !== undefined)
    return everywhere ? [`"${text}" makes no sense here: ${reasons[0]}.`] : []
  })
}

function matchProblems(match: RuleMatch, pointer: string, operations: readonly Operation[]): RuleProblem[] {
  const withModel = operations.some(({ path }) => path.includes('{'))
  const noModel = match.model !== undefined && operations.length > 0 && !withModel
  const names = operations.map(({ id }) => id).join(', ')
  return [
    ...(noModel ? [{ pointer: `${pointer}/model`, message: `${names} asks for no model by its path.` }] : []),
    ...fieldProblems(match, pointer, operations),
  ]
}

function fieldProblems(match: RuleMatch, pointer: string, operations: readonly Operation[]): RuleProblem[] {
  const schemas = operations
    .map((operation) => operation.bodySchema())
    .filter((schema) => schema !== undefined)
  const unknown = Object.keys(match.body ?? {}).filter(
    (field) => !schemas.some((schema) => describes(schema, field)),
  )
  return unknown.map((field) => {
    const known = [...new Set(schemas.flatMap((schema) => Object.keys(propertiesOf(schema))))].map(
      (name) => `/${name}`,
    )
    return {
      pointer: `${pointer}/body`,
      message: `No request body has the field "${field}". Known: ${known.join(', ') || 'none'}.`,
    }
  })
}

function describes(schema: JsonObject, pointer: string): boolean {
  const [, token, ...rest] = pointer.split('/')
  if (token === undefined) return pointer === ''
  const properties = propertiesOf(schema)
  const named = Object.hasOwn(properties, token) ? properties[token] : undefined
  const inner = named ?? (/^\d+$/.test(token) ? schema['items'] : undefined)
  if (!isObject(inner)) return false
  const open = rest.length > 0 && inner['type'] === 'object' && !('properties' in inner)
  return open || rest.length === 0 || describes(inner, `/${rest.join('/')}`)
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {}
}

function lowerCaseHeaders(match: JsonObject): RuleMatch {
  const { header } = match
  if (!isObject(header)) return match as RuleMatch // proved by spec/scenarios.schema.json
  const lower = Object.entries(header).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { ...match, header: Object.fromEntries(lower) } as RuleMatch
}

const textIn = (source: JsonObject, name: string) => {
  const value = source[name]
  return typeof value === 'string' ? value : undefined
}

const numberIn = (source: JsonObject, name: string) => {
  const value = source[name]
  return typeof value === 'number' ? value : undefined
}

/** What a rule can see of a request. */
export interface RuleInput {
  readonly operation: string
  readonly models: readonly string[]
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The products that the request is about. */
  readonly products: () => readonly string[]
  /** The JSON body; undefined where there is none. */
  readonly body: () => Json | undefined
}

/** Where a rule is not about a request: `operation`, `match/header/x-team`; undefined where it is. */
export function mismatch({ enabled, operation, match }: Rule, facts: RuleInput): string | undefined {
  if (!enabled) return 'enabled'
  if (operation !== undefined && operation !== facts.operation) return 'operation'
  if (match.model !== undefined && !facts.models.includes(match.model.toLowerCase())) return 'match/model'
  if (match.product !== undefined && !facts.products().includes(match.product.toLowerCase()))
    return 'match/product'
  return mismatchInHeader(match, facts) ?? mismatchInBody(match, facts)
}

function mismatchInHeader({ header = {} }: RuleMatch, { headers }: RuleInput): string | undefined {
  const other = Object.keys(header).find((name) => headers[name] !== header[name])
  return other === undefined ? undefined : `match/header/${other}`
}

function mismatchInBody({ body = {} }: RuleMatch, facts: RuleInput): string | undefined {
  const other = Object.entries(body).find(([pointer, value]) => !isAt(facts.body(), pointer, value))
  return other && `match/body${other[0]}`
}

function isAt(body: Json | undefined, pointer: string, wanted: Json): boolean {
  const value = valueAt(body, pointer)
  return value !== undefined && canonicalJson(value) === canonicalJson(wanted)
}
