import { cutText } from '../../base/core/text.ts'
import { type MatchSubject, modelsIn, productsOf } from '../../service/exchange/match.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import { type ActiveScenario, effectOf, isGateway } from '../../service/scenarios/definition.ts'
import { findConflict } from '../../service/scenarios/parse.ts'
import {
  findMismatch,
  listRulesInOrder,
  ruleAppliedKey,
  ruleSequencePrefix,
  type ScopedRule,
} from '../../service/scenarios/rules.ts'
import type { Store } from '../../state/store.ts'
import { applicableScenarios, applyScenarios, findSkipReason, inapplicableReason, nextItem } from './apply-scenarios.ts'
import { type RequestedControls, readControls } from './control-headers.ts'
import { addDecision, type Exchange, jsonOf, type PipelineDeps, type RequestStage } from './exchange.ts'

/**
 * Finds the scenarios for a request and applies them. Only the most specific scope with applicable scenarios is used:
 * the request, the sandbox or the startup rules. In a request, control headers take precedence over magic values.
 */
export function scenario(deps: PipelineDeps): RequestStage {
  const choose = chooseScenarios(deps)
  return (exchange) => (exchange.areScenariosChosen ? undefined : choose(exchange))
}

function chooseScenarios(deps: PipelineDeps): RequestStage {
  return function chooseScenarios(exchange) {
    const controls = readControls(exchange, deps.catalogue)
    if (!controls.ok) return refusals.control(controls.error)
    const { isDecisive, appliedPreferences } = controls.value
    const problem = isDecisive ? findControlProblem(exchange, controls.value) : undefined
    if (problem !== undefined) return refusals.control(problem)
    exchange.hasOwnScenarios = isDecisive
    if (appliedPreferences) exchange.extraHeaders['Preference-Applied'] = appliedPreferences
    if (isDecisive) return applyRequested(exchange, controls.value, deps.store)
    const fault = findFault(exchange, deps)
    return fault
      ? applyScenarios(exchange, [fault], deps.store).then((reply) => reply ?? applyWiderScope(exchange, deps))
      : applyWiderScope(exchange, deps)
  }
}

const findFault = ({ operation, request }: Exchange, deps: PipelineDeps) =>
  operation && deps.findPlannedFault?.(operation.id, request.id)

/**
 * Applies the scenarios of a simulated gateway before the service can refuse a request, even if no operation
 * matches. If a control header or a matching rule names a gateway scenario, all of the request's scenarios apply here.
 */
export function gateway(deps: PipelineDeps): RequestStage {
  const choose = chooseScenarios(deps)
  return function gateway(exchange) {
    if (exchange.request.body.kind === 'aborted' || !isForGateway(exchange, deps)) return undefined
    const reply = choose(exchange)
    exchange.areScenariosChosen = true
    return reply
  }
}

function isForGateway(exchange: Exchange, deps: PipelineDeps): boolean {
  const { headers } = exchange.request
  const hasControl = ['x-sim-scenario', 'x-sim-sequence', 'prefer'].some((name) => headers[name] !== undefined)
  if (!hasControl && exchange.rules.length + deps.startupRules.length === 0) return false // most requests
  const controls = readControls(exchange, deps.catalogue)
  if (!controls.ok) return true // this stage refuses the request, even if its key or path is invalid
  const { isDecisive, scenarios, sequence } = controls.value
  if (isDecisive) return namesGateway({ scenarios, sequence })
  const { bearer } = exchange
  if ((bearer.ok && deps.keyScenarios.has(bearer.token)) || listMagicScenarios(exchange, deps).length > 0) return false
  const gatewayRules = listRulesInOrder(exchange.rules, deps.startupRules).filter(({ rule }) => namesGateway(rule))
  if (gatewayRules.length === 0) return false
  const subject = createSubject(exchange, deps)
  return gatewayRules.some(({ rule }) => rule.skipReason === undefined && findMismatch(rule, subject) === undefined)
}

const namesGateway = ({ scenarios, sequence }: Pick<RequestedControls, 'scenarios' | 'sequence'>) =>
  scenarios.some(isGateway) || (sequence?.items.some(({ scenario }) => isGateway(scenario)) ?? false)

/** Applies the scenarios that the request names. A requested example overrides the reply from these scenarios. */
async function applyRequested(exchange: Exchange, controls: RequestedControls, store: Store) {
  const { scenarios, sequence, example } = controls
  for (const reason of explainDecidingHeaders(exchange)) addDecision(exchange, reason)
  const active = sequence ? [...scenarios, await nextItem(exchange, sequence, store)] : scenarios
  const reply = await applyScenarios(exchange, active, store)
  return example ?? reply
}

function explainDecidingHeaders({ request: { headers } }: Exchange): string[] {
  const names = { 'x-sim-scenario': 'X-Sim-Scenario', 'x-sim-sequence': 'X-Sim-Sequence', prefer: 'Prefer' }
  return Object.entries(names).flatMap(([key, name]) => {
    const value = headers[key]
    if (value === undefined || (name === 'Prefer' && !/\b(code|example)\s*=/i.test(value))) return []
    const reason = `The request's own header takes precedence (${name}: ${cutText(value, 200)}).`
    return [`${reason} Magic values and rules are ignored.`]
  })
}

/** Returns why the requested controls cannot all apply, or undefined. No test may silently run without its scenario. */
function findControlProblem(exchange: Exchange, { scenarios, sequence, example }: RequestedControls) {
  const items = sequence?.items.map((item) => item.scenario) ?? []
  const all = [...scenarios, ...items]
  const inapplicable = all.map((active) => inapplicableReason(exchange, active)).find((reason) => reason !== undefined)
  if (inapplicable !== undefined) return inapplicable
  const conflicting = example && all.find(conflictsWithExample)
  if (conflicting)
    return (
      `"${conflicting.text}" cannot be combined with Prefer: example=NAME, which replaces the operation's response. ` +
      `Leave out one of them${conflicting.values['when'] ? ', or use when=before' : ''}.`
    )
  const combinations = items.length > 0 ? items.map((item) => [...scenarios, item]) : [scenarios]
  return combinations.map(findConflict).find((conflict) => conflict !== undefined)
}

const decidingKinds: readonly string[] = ['response', 'gateway', 'ordinary', 'sample-out', 'data', 'lose-ack']

/** Returns true for a scenario that determines the operation's response, or requires the operation to have run. */
const conflictsWithExample = (active: ActiveScenario) =>
  active.values['when'] === 'after' || decidingKinds.includes(effectOf(active).kind)

function applyWiderScope(exchange: Exchange, deps: PipelineDeps) {
  const magic = listMagicScenarios(exchange, deps)
  if (magic.length + exchange.rules.length + deps.startupRules.length === 0) return undefined // avoids a promise
  return findScenarios(exchange, magic, deps).then((active) => applyScenarios(exchange, active, deps.store))
}

interface MagicScenario {
  /** A description of the magic value, for messages. It never contains a token: a key is described by its file. */
  readonly source: string
  readonly active: ActiveScenario
}

function listMagicScenarios({ caller, pathParameters }: Exchange, { keyScenarios, modelScenarios }: PipelineDeps) {
  const magic: MagicScenario[] = []
  const scenariosOfKey = caller && keyScenarios.get(caller.token)
  for (const active of scenariosOfKey ?? []) magic.push({ source: "The request's key (keys.yaml)", active })
  for (const name in pathParameters) {
    const id = pathParameters[name] ?? ''
    for (const active of modelScenarios.get(id.toLowerCase()) ?? [])
      magic.push({ source: `The model ${id} (models.yaml)`, active })
  }
  return magic
}

/** The number of rules in each scope, counted from the first, for which the journal says why a rule did not apply. */
const maxExplainedRules = 20

/** Returns the applicable scenarios of the magic values, or else of the first applicable rule (sandbox rules first). */
async function findScenarios(exchange: Exchange, magic: readonly MagicScenario[], deps: PipelineDeps) {
  const applicable = magic.filter(({ active }) => inapplicableReason(exchange, active) === undefined)
  for (const { source, active } of applicable)
    addDecision(exchange, `${source} is a magic value that applies "${active.text}".`)
  if (applicable.length > 0) return applicable.map(({ active }) => active)
  const subject = createSubject(exchange, deps)
  for (const scopedRule of listRulesInOrder(exchange.rules, deps.startupRules)) {
    const found = await scenariosOfRule(exchange, scopedRule, subject, deps.store)
    if (typeof found !== 'string') {
      await recordAppliedRule(exchange, scopedRule, deps.store)
      return found
    }
    if (scopedRule.index < maxExplainedRules) addDecision(exchange, `${nameRule(scopedRule)} ${found}.`)
  }
  return []
}

/** For requests refused before rules apply: marks a request as a negative test if an `expect-refusal` rule matches. */
export async function expectRefusal(exchange: Exchange, deps: PipelineDeps): Promise<void> {
  const { store } = deps
  const subject = createSubject(exchange, deps)
  for (const scopedRule of listRulesInOrder(exchange.rules, deps.startupRules)) {
    const { rule, index } = scopedRule
    const expectsRefusal = rule.scenarios.some(({ definition }) => definition.name === 'expect-refusal')
    if (!expectsRefusal || rule.skipReason !== undefined || findMismatch(rule, subject) !== undefined) continue
    if ((await findSkipReason(exchange, rule, index, store)) !== undefined) continue
    exchange.expectation = 'refusal'
    return recordAppliedRule(exchange, scopedRule, store)
  }
}

const nameRule = ({ scope, index }: Omit<ScopedRule, 'rule'>) =>
  `${scope === 'sandbox' ? 'Sandbox' : 'Startup'} rule ${index + 1}`

async function recordAppliedRule(exchange: Exchange, { rule, scope, index }: ScopedRule, store: Store): Promise<void> {
  exchange.rule = { scope, index, key: rule.key }
  await store.nextSequenceIndex(exchange.sandbox.name, ruleAppliedKey(rule)) // counts this use of the rule
  addDecision(exchange, `${nameRule({ scope, index })} applies: ${JSON.stringify(rule.source)}.`)
}

/** Returns the scenarios of a rule for this request, or the reason why the rule does not apply. */
async function scenariosOfRule(exchange: Exchange, scopedRule: ScopedRule, subject: MatchSubject, store: Store) {
  const { rule, index } = scopedRule
  if (rule.skipReason !== undefined)
    return `is skipped, since the contract has changed: ${rule.skipReason.replace(/\.$/, '')}`
  const field = findMismatch(rule, subject)
  if (field !== undefined) return field === 'enabled' ? 'is disabled' : `does not match this request: ${field}`
  const applicable = applicableScenarios(exchange, rule.scenarios)
  // A request does not count against the rule's `times` if the rule's scenarios do not apply to it.
  if (!rule.sequence && applicable.length === 0) return 'does not apply to this request'
  const skipReason = await findSkipReason(exchange, rule, index, store)
  if (skipReason !== undefined) return skipReason
  if (!rule.sequence) return applicable
  const item = await nextItem(exchange, rule.sequence, store, ruleSequencePrefix(rule))
  const active = applicableScenarios(exchange, [item])
  return active.length > 0 ? active : `has reached an item that does not apply to this request: "${item.text}"`
}

function createSubject(exchange: Exchange, { productsOfModel }: PipelineDeps): MatchSubject {
  const { operation, request, path, pathParameters } = exchange
  const { method, query, headers } = request
  const models = modelsIn(pathParameters)
  const body = () => {
    const read = jsonOf(exchange)
    return read?.ok ? read.value : undefined
  }
  return {
    operation: operation?.id ?? '',
    method,
    paths: [path, request.path],
    query,
    models: () => models,
    headers,
    products: () => productsOf(body(), models, productsOfModel),
    body,
  }
}
