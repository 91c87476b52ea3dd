import type { ActiveScenario, Catalogue } from '../scenarios/definition.ts'
import { findMismatch, type RuleInput } from '../scenarios/match-rule.ts'
import { modelsIn, productsOf } from '../scenarios/models-and-products.ts'
import { parseScenarios } from '../scenarios/parse.ts'
import { type RuleSet, ruleActedKey, ruleSequencePrefix } from '../scenarios/rules.ts'
import type { Store } from '../state/store.ts'
import { applicableScenarios } from './apply-scenarios.ts'
import { findRuleObstacle, nextItem } from './chance.ts'
import { type Exchange, jsonOf, operationOf } from './exchange.ts'

/** The sources of scenarios besides the request's own control headers. */
export interface ScenarioSources {
  readonly catalogue: Catalogue
  /** Scenarios of magic models by the model's id in lower case (`fixtures/models.yaml`). */
  readonly ofModel: ReadonlyMap<string, string>
  /** Ids of the products that each model belongs to, by the model's id (`fixtures/products.yaml`). */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** The rules of `--scenario` and `--scenarios`, for every sandbox. */
  readonly startUp: RuleSet
}

/** Returns false where no magic value and no rule can act on the request, so that the stage need not wait. */
export function hasWiderScope(exchange: Exchange, sources: ScenarioSources): boolean {
  const rules = exchange.rules.rules.length + sources.startUp.rules.length
  return rules > 0 || listMagicValues(exchange, sources).length > 0
}

/** Returns the scenarios of the narrowest scope that has any for this request: magic values, then the sandbox, then the start-up. */
export async function scenariosOfWiderScope(
  exchange: Exchange,
  sources: ScenarioSources,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  const byMagicValue = listMagicValues(exchange, sources).flatMap((value) =>
    scenariosOfMagicValue(exchange, value, sources),
  )
  if (byMagicValue.length > 0) return byMagicValue
  const scopes: readonly Scope[] = [
    { name: 'sandbox', rules: exchange.rules },
    { name: 'start-up', rules: sources.startUp },
  ]
  for (const scope of scopes) {
    const active = await scenariosOfRules(exchange, scope, sources, store)
    if (active.length > 0) return active
  }
  return []
}

/** A key or a model with a scenario in the fixtures. */
interface MagicValue {
  /** A part of the explanation: `model 00000000-...`. The key is a credential, so it is not named. */
  readonly name: string
  /** The text of its scenarios: `bad-request`. */
  readonly scenario: string
}

function listMagicValues({ caller, pathParameters }: Exchange, { ofModel }: ScenarioSources): MagicValue[] {
  const values: MagicValue[] = []
  if (caller?.scenario !== undefined) values.push({ name: 'key of the request', scenario: caller.scenario })
  for (const name in pathParameters) {
    const id = pathParameters[name] ?? ''
    const scenario = ofModel.get(id.toLowerCase())
    if (scenario !== undefined) values.push({ name: `model ${id}`, scenario })
  }
  return values
}

function scenariosOfMagicValue(
  exchange: Exchange,
  { name, scenario }: MagicValue,
  { catalogue }: ScenarioSources,
): readonly ActiveScenario[] {
  const parsed = parseScenarios(scenario, catalogue)
  if (!parsed.ok) throw new Error(parsed.error) // the start has parsed all fixtures
  const active = applicableScenarios(exchange, parsed.value)
  if (active.length > 0)
    exchange.trace?.decisions.push(`The ${name} decides: the fixtures give it the scenario "${scenario}".`)
  return active
}

interface Scope {
  readonly name: 'sandbox' | 'start-up'
  readonly rules: RuleSet
}

/** Returns the scenarios of the first rule that acts on the request. */
async function scenariosOfRules(
  exchange: Exchange,
  { name, rules }: Scope,
  { productsOfModel }: ScenarioSources,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  if (rules.rules.length === 0) return []
  const { trace } = exchange
  const input = ruleInput(exchange, productsOfModel)
  for (const [index, rule] of rules.rules.entries()) {
    const active = await scenariosOfRule(exchange, rules, index, input, store)
    if (typeof active === 'string') trace?.decisions.push(`Rule ${index} of the ${name} ${active}.`)
    else {
      exchange.rule = { scope: name, index }
      await store.nextSequenceIndex(exchange.sandbox.name, ruleActedKey(rules, index)) // counts it
      trace?.decisions.push(`Rule ${index} of the ${name} acts: ${JSON.stringify(rule.source)}.`)
      return active
    }
  }
  return []
}

/** Returns the scenarios of a rule for this request, or the reason why the rule does not act. */
async function scenariosOfRule(
  exchange: Exchange,
  rules: RuleSet,
  index: number,
  input: RuleInput,
  store: Store,
): Promise<readonly ActiveScenario[] | string> {
  const rule = rules.rules[index]
  const field = rule ? findMismatch(rule, input) : 'enabled'
  if (!rule || field !== undefined) return `is not about this request: ${field}`
  const applicable = applicableScenarios(exchange, rule.scenarios)
  // A request that the scenario makes no sense for does not count against the rule's `times`.
  if (!rule.sequence && applicable.length === 0) return 'makes no sense for this request'
  const obstacle = await findRuleObstacle(exchange, rules, index, store)
  if (obstacle !== undefined) return `does not act: ${obstacle}`
  if (!rule.sequence) return applicable
  const item = await nextItem(exchange, rule.sequence, store, ruleSequencePrefix(rules, index))
  const active = applicableScenarios(exchange, [item])
  return active.length > 0 ? active : `makes no sense for this request at its turn, "${item.text}"`
}

function ruleInput(exchange: Exchange, productsOfModel: ReadonlyMap<string, readonly string[]>): RuleInput {
  const models = modelsIn(exchange.pathParameters)
  const body = () => {
    const read = jsonOf(exchange)
    return read?.ok ? read.value : undefined
  }
  return {
    operation: operationOf(exchange).id,
    method: exchange.request.method,
    paths: [exchange.path, exchange.request.path],
    query: exchange.request.query,
    models,
    headers: exchange.request.headers,
    products: () => productsOf(body(), models, productsOfModel),
    body,
  }
}
