import { type MatchSubject, modelsIn, productsOf } from '../../service/exchange/match.ts'
import type { ActiveScenario, Catalogue } from '../../service/scenarios/definition.ts'
import { parseScenarios } from '../../service/scenarios/parse.ts'
import {
  type ActiveRule,
  type ActiveRules,
  findMismatch,
  ruleActedKey,
  ruleSequencePrefix,
} from '../../service/scenarios/rules.ts'
import type { Store } from '../../state/store.ts'
import { applicableScenarios, findRuleRest, inapplicableReason, nextItem } from './apply-scenarios.ts'
import { type Exchange, jsonOf, type MatchedExchange } from './exchange.ts'

/** The sources of scenarios besides the request's own control headers. */
export interface ScenarioSources {
  readonly catalogue: Catalogue
  /** Scenarios of magic models by the model's id in lower case (`fixtures/models.yaml`). */
  readonly ofModel: ReadonlyMap<string, string>
  /** Ids of the products that each model belongs to, by the model's id (`fixtures/products.yaml`). */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** The rules of `--scenario` and `--rules`, for every sandbox. */
  readonly startUp: ActiveRules
  /** Finds the fault that is planned for a request, if faults are planned. */
  readonly findPlannedFault?: FindPlannedFault | undefined
}

/** Returns the fault that `convsim each` has planned for a request; called once for each, in their order. */
export type FindPlannedFault = (operation: string, requestId: string) => ActiveScenario | undefined

/** Returns false where no magic value and no rule can act on the request, so that the stage need not wait. */
export function hasWiderScope(exchange: Exchange, sources: ScenarioSources): boolean {
  const rules = exchange.rules.length + sources.startUp.length
  return rules > 0 || scenariosOfMagicValues(exchange, sources).length > 0
}

/** Returns the scenarios of the narrowest scope that has any: magic values, then the sandbox, then the start-up. */
export async function scenariosOfWiderScope(
  exchange: MatchedExchange,
  sources: ScenarioSources,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  const magic = scenariosOfMagicValues(exchange, sources)
  const acting = magic.filter(({ active }) => inapplicableReason(exchange, active) === undefined)
  for (const { source, active } of acting)
    exchange.trace?.decisions.push(`${source} is a magic value, which decides: "${active.text}".`)
  if (acting.length > 0) return acting.map(({ active }) => active)
  for (const scope of scopesOf(exchange, sources)) {
    const active = await scenariosOfRules(exchange, scope, sources, store)
    if (active.length > 0) return active
  }
  return []
}

const scopesOf = (exchange: Exchange, { startUp }: ScenarioSources): readonly Scope[] => [
  { name: 'sandbox', rules: exchange.rules },
  { name: 'start-up', rules: startUp },
]

/** Marks a request that was refused before rules act as a negative test, if a rule `expect-refusal` matches it. */
export async function expectRefusal(exchange: Exchange, sources: ScenarioSources, store: Store): Promise<void> {
  const input = ruleInput(exchange, sources)
  for (const { name, rules } of scopesOf(exchange, sources)) {
    for (const [index, rule] of rules.entries()) {
      const isMarking = rule.scenarios.some(({ definition }) => definition.name === 'expect-refusal')
      if (!isMarking || rule.misfit !== undefined || findMismatch(rule, input) !== undefined) continue
      if ((await findRuleRest(exchange, rule, index, store)) !== undefined) continue
      exchange.expectation = 'refusal'
      await countRule(exchange, name, rule, index, store)
      return
    }
  }
}

/** Returns the scenarios of magic values, each with the value's name in sentences. */
function scenariosOfMagicValues({ caller, pathParameters }: Exchange, { catalogue, ofModel }: ScenarioSources) {
  // A token is in no log and no explanation, so the key is named by its file.
  const magic =
    caller?.scenario === undefined ? [] : [{ source: "The request's key (keys.yaml)", text: caller.scenario }]
  for (const name in pathParameters) {
    const id = pathParameters[name] ?? ''
    const text = ofModel.get(id.toLowerCase())
    if (text !== undefined) magic.push({ source: `The model ${id} (models.yaml)`, text })
  }
  return magic.flatMap(({ source, text }) => {
    const parsed = parseScenarios(text, catalogue)
    if (!parsed.ok) throw new Error(parsed.error) // the start has parsed all fixtures
    return parsed.value.map((active) => ({ source, active }))
  })
}

interface Scope {
  readonly name: 'sandbox' | 'start-up'
  readonly rules: ActiveRules
}

/** Returns the scenarios of the first rule that acts on the request. */
async function scenariosOfRules(
  exchange: MatchedExchange,
  { name, rules }: Scope,
  sources: ScenarioSources,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  if (rules.length === 0) return []
  const { trace } = exchange
  const input = ruleInput(exchange, sources)
  for (const [index, rule] of rules.entries()) {
    const active = await scenariosOfRule(exchange, rule, index, input, store)
    if (typeof active === 'string') trace?.decisions.push(`Rule ${index + 1} of the ${name} ${active}.`)
    else {
      await countRule(exchange, name, rule, index, store)
      return active
    }
  }
  return []
}

/** Records that a rule has acted on the request. */
async function countRule(exchange: Exchange, scope: Scope['name'], rule: ActiveRule, index: number, store: Store) {
  exchange.rule = { scope, index }
  await store.nextSequenceIndex(exchange.sandbox.name, ruleActedKey(rule)) // counts it
  exchange.trace?.decisions.push(`Rule ${index + 1} of the ${scope} acts: ${JSON.stringify(rule.source)}.`)
}

/** Returns the scenarios of a rule for this request, or the reason why the rule does not act. */
async function scenariosOfRule(
  exchange: MatchedExchange,
  rule: ActiveRule,
  index: number,
  input: MatchSubject,
  store: Store,
): Promise<readonly ActiveScenario[] | string> {
  if (rule.misfit !== undefined)
    return `is passed over, since the contract has changed: ${rule.misfit.replace(/\.$/, '')}`
  const field = findMismatch(rule, input)
  if (field !== undefined) return `is not about this request: ${field}`
  const applicable = applicableScenarios(exchange, rule.scenarios)
  // A request that the scenario makes no sense for does not count against the rule's `times`.
  if (!rule.sequence && applicable.length === 0) return 'makes no sense for this request'
  const rest = await findRuleRest(exchange, rule, index, store)
  if (rest !== undefined) return rest
  if (!rule.sequence) return applicable
  const item = await nextItem(exchange, rule.sequence, store, ruleSequencePrefix(rule))
  const active = applicableScenarios(exchange, [item])
  return active.length > 0 ? active : `makes no sense for this request at its turn, "${item.text}"`
}

function ruleInput(exchange: Exchange, { productsOfModel }: ScenarioSources): MatchSubject {
  const models = modelsIn(exchange.pathParameters)
  const body = () => {
    const read = jsonOf(exchange)
    return read?.ok ? read.value : undefined
  }
  return {
    operation: exchange.operation?.id ?? '',
    method: exchange.request.method,
    paths: [exchange.path, exchange.request.path],
    query: exchange.request.query,
    models: () => models,
    headers: exchange.request.headers,
    products: () => productsOf(body(), models, productsOfModel),
    body,
  }
}
