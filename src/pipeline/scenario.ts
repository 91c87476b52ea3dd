import { type Exchange, jsonOf, operationOf, type Reply, type Stage } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { ActiveScenario, Catalogue } from '../scenarios/catalogue.ts'
import type { Chance, Effect } from '../scenarios/effects.ts'
import { numberOf } from '../scenarios/parameters.ts'
import { findConflict, parseScenarios } from '../scenarios/parse.ts'
import { mismatch, type RuleInput, type RuleSet, ruleSequencePrefix } from '../scenarios/rules.ts'
import { modelsIn, productsOf } from '../scenarios/subject.ts'
import type { Store } from '../state/store.ts'
import { type RequestedControls, readControls } from './controls.ts'
import { drawChance, fires, nextItem, withinTimes } from './draw.ts'

/** Who may switch something on, besides the request's own controls. */
export interface ScenarioSources {
  readonly catalogue: Catalogue
  /** Scenarios of magic model ids (`fixtures/`). */
  readonly ofModel: ReadonlyMap<string, string>
  /** Ids of the products that a model belongs to (`fixtures/`). */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** `--scenario` and `--scenarios`: for every sandbox. */
  readonly startUp: RuleSet
}

/**
 * What acts on this request. Precedence: request > sandbox > start-up > default; the narrowest scope that asks for
 * anything decides alone. In the request, a control goes before a magic value.
 */
export function scenario(sources: ScenarioSources, store: Store): Stage {
  return function scenario(exchange) {
    const asked = readControls(exchange, sources.catalogue)
    if (!asked.ok) return refusals.control(asked.error)
    const { any, example, preferred } = asked.value
    const problem = any ? problemIn(exchange, asked.value) : undefined
    if (problem !== undefined) return refusals.control(problem)
    exchange.requestedExplicitly = any
    if (preferred) exchange.extraHeaders['Preference-Applied'] = preferred
    if (any) {
      exchange.trace?.notes.push('The request itself asks for what decides; wider scopes are not looked at.')
      return act(exchange, ofRequest(exchange, asked.value, store), store, example)
    }
    if (isNothingOn(exchange, sources)) return undefined
    return act(exchange, ofWiderScope(exchange, sources, store), store, undefined)
  }
}

/** Whether no wider scope has anything for anybody, so that there is nothing to wait for. */
function isNothingOn(exchange: Exchange, sources: ScenarioSources): boolean {
  const { rules } = exchange.sandbox.rules
  return rules.length === 0 && sources.startUp.rules.length === 0 && magicOf(exchange, sources).length === 0
}

/** Lets act what acts on the request. An example that was asked for is the answer all the same. */
async function act(
  exchange: Exchange,
  acting: Promise<readonly ActiveScenario[]>,
  store: Store,
  example: Reply | undefined,
): Promise<Reply | undefined> {
  const reply = await apply(exchange, await acting, store)
  return example ?? reply
}

/**
 * Why what the request asks for cannot be done as a whole: nobody is to believe that something was switched on and was
 * not. Of a sequence every item is looked at, whichever it is this request's turn to meet.
 */
function problemIn(
  exchange: Exchange,
  { scenarios, sequence, example }: RequestedControls,
): string | undefined {
  const items = sequence?.items.map((step) => step.scenario) ?? []
  const misfit = [...scenarios, ...items]
    .map((active) => unfit(exchange, active))
    .find((one) => one !== undefined)
  if (misfit !== undefined) return misfit
  if (
    example &&
    [...scenarios, ...items].some(({ definition, values }) => definition.effect(values).kind === 'answer')
  ) {
    return 'The request asks for an example and for another answer; only one of them could be given.'
  }
  const together = items.length > 0 ? items.map((item) => [...scenarios, item]) : [scenarios]
  return together.map(findConflict).find((clash) => clash !== undefined)
}

async function ofRequest(
  exchange: Exchange,
  { scenarios, sequence }: RequestedControls,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  return sequence ? [...scenarios, await nextItem(exchange, sequence, store)] : scenarios
}

/** The narrowest scope beyond the request's controls that has anything for this request. */
async function ofWiderScope(
  exchange: Exchange,
  sources: ScenarioSources,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  const byMagic = fits(exchange, magicOf(exchange, sources))
  if (byMagic.length > 0) {
    exchange.trace?.notes.push('A magic value of the request decides (fixtures/).')
    return byMagic
  }
  for (const [scope, set] of [
    ['sandbox', exchange.sandbox.rules],
    ['start-up', sources.startUp],
  ] as const) {
    const acting = set.rules.length === 0 ? [] : await ofRules(exchange, { scope, set }, sources, store)
    if (acting.length > 0) return acting
  }
  return []
}

const nothing: readonly ActiveScenario[] = []

function magicOf(
  { caller, pathParameters }: Exchange,
  { catalogue, ofModel }: ScenarioSources,
): readonly ActiveScenario[] {
  const texts = caller?.scenario === undefined ? [] : [caller.scenario]
  for (const name in pathParameters) {
    const ofId = ofModel.get((pathParameters[name] ?? '').toLowerCase())
    if (ofId !== undefined) texts.push(ofId)
  }
  if (texts.length === 0) return nothing
  return texts.flatMap((text) => {
    const parsed = parseScenarios(text, catalogue)
    if (!parsed.ok) throw new Error(parsed.error) // parsed once already, when the fixtures were loaded
    return parsed.value
  })
}

interface Scope {
  readonly scope: 'sandbox' | 'start-up'
  readonly set: RuleSet
}

/** What the first rule of the set that acts on this request switches on. */
async function ofRules(
  exchange: Exchange,
  { scope, set }: Scope,
  { productsOfModel }: ScenarioSources,
  store: Store,
): Promise<readonly ActiveScenario[]> {
  const { trace } = exchange
  const facts = factsOf(exchange, productsOfModel)
  for (const [index, rule] of set.rules.entries()) {
    const acting = await ofRule(exchange, set, index, facts, store)
    if (typeof acting === 'string') trace?.notes.push(`Rule ${index} of the ${scope} ${acting}.`)
    else {
      if (trace) trace.rule = { scope, index }
      trace?.notes.push(`Rule ${index} of the ${scope} acts: ${JSON.stringify(rule.source)}.`)
      return acting
    }
  }
  return []
}

/** What a rule switches on for this request, or why it does not act. */
async function ofRule(
  exchange: Exchange,
  set: RuleSet,
  index: number,
  facts: RuleInput,
  store: Store,
): Promise<readonly ActiveScenario[] | string> {
  const rule = set.rules[index]
  const elsewhere = rule ? mismatch(rule, facts) : 'enabled'
  if (!rule || elsewhere !== undefined) return `is not about this request: ${elsewhere}`
  const fitting = fits(exchange, rule.scenarios)
  // What makes no sense for this request does not use the rule up.
  if (!rule.sequence && fitting.length === 0) return 'makes no sense for this request'
  if (!(await withinTimes(exchange, set, index, store)))
    return 'does not act: it is used up, or chance spares the request'
  if (!rule.sequence) return fitting
  const item = await nextItem(exchange, rule.sequence, store, ruleSequencePrefix(set, index))
  const acting = fits(exchange, [item])
  return acting.length > 0 ? acting : `makes no sense for this request at its turn, "${item.text}"`
}

function fits(exchange: Exchange, scenarios: readonly ActiveScenario[]): readonly ActiveScenario[] {
  return scenarios.filter((active) => unfit(exchange, active) === undefined)
}

function factsOf(exchange: Exchange, productsOfModel: ReadonlyMap<string, readonly string[]>): RuleInput {
  const models = modelsIn(exchange.pathParameters)
  const body = () => {
    const read = jsonOf(exchange)
    return read?.ok ? read.value : undefined
  }
  return {
    operation: operationOf(exchange).id,
    models,
    headers: exchange.request.headers,
    products: () => productsOf(body(), models, productsOfModel),
    body,
  }
}

function unfit(exchange: Exchange, { definition, values, text }: ActiveScenario): string | undefined {
  const reason = definition.inapplicableReason(operationOf(exchange), values)
  return reason === undefined ? undefined : `The scenario "${text}" makes no sense here: ${reason}.`
}

/** Lets the scenarios act that chance does not spare; one that answers ends the way through the stages. */
async function apply(
  exchange: Exchange,
  acting: readonly ActiveScenario[],
  store: Store,
): Promise<Reply | undefined> {
  let reply: Reply | undefined
  for (const active of acting) {
    const effect = active.definition.effect(active.values)
    const drawn = numberOf(active.values, 'p') < 1 || (effect.kind === 'delay' && effect.drawn)
    const chance: Chance = drawn ? await drawChance(exchange, active.text, store) : () => 0
    if (!fires(active, chance)) {
      exchange.trace?.notes.push(`Chance spares the request of "${active.text}".`)
      continue
    }
    exchange.scenarios = [...exchange.scenarios, active]
    reply = applyEffect(exchange, effect, chance) ?? reply
  }
  return reply
}

/** What can be done before there is an answer; the rest is `damage`'s. */
function applyEffect(exchange: Exchange, effect: Effect, chance: Chance): Reply | undefined {
  switch (effect.kind) {
    case 'answer':
      return effect.reply(operationOf(exchange))
    case 'shape':
      exchange.dataOverrides = { ...exchange.dataOverrides, ...effect.shaping }
      return undefined
    case 'delay':
      exchange.delivery = { ...exchange.delivery, delayMs: effect.ms(chance) }
      return undefined
    case 'deliver':
      exchange.delivery = { ...exchange.delivery, mode: effect.manner }
      return undefined
    default:
      return undefined
  }
}
