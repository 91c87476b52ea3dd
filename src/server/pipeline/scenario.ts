import { cutText } from '../../base/core/text.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { ActiveScenario } from '../../service/scenarios/definition.ts'
import { findConflict } from '../../service/scenarios/parse.ts'
import type { Store } from '../../state/store.ts'
import { applyScenarios, inapplicableReason, nextItem } from './apply-scenarios.ts'
import { type RequestedControls, readControls } from './control-headers.ts'
import type { Exchange, MatchedExchange, RequestStage } from './exchange.ts'
import { hasWiderScope, type ScenarioSources, scenariosOfWiderScope } from './scenario-sources.ts'

/**
 * Finds the scenarios that act on a request, and applies them. Precedence: request > sandbox > start-up > default; the
 * narrowest scope that asks for anything decides alone. In the request a control header wins over a magic value.
 */
export function scenario(sources: ScenarioSources, store: Store): RequestStage<MatchedExchange> {
  return function scenario(exchange) {
    const controls = readControls(exchange, sources.catalogue)
    if (!controls.ok) return refusals.control(controls.error)
    const { any, preferred } = controls.value
    const problem = any ? problemWith(exchange, controls.value) : undefined
    if (problem !== undefined) return refusals.control(problem)
    exchange.requestedExplicitly = any
    if (preferred) exchange.extraHeaders['Preference-Applied'] = preferred
    if (any) return applyRequested(exchange, controls.value, store)
    return sources.findPlannedFault
      ? applyPlannedFault(exchange, sources, store)
      : applyWiderScope(exchange, sources, store)
  }
}

/** Applies the scenarios that the request names. A requested example is the reply, whatever the scenarios reply. */
async function applyRequested(
  exchange: MatchedExchange,
  { scenarios, sequence, example }: RequestedControls,
  store: Store,
): Promise<Reply | undefined> {
  exchange.trace?.decisions.push(...listDecidingHeaders(exchange))
  const active = sequence ? [...scenarios, await nextItem(exchange, sequence, store)] : scenarios
  const reply = await applyScenarios(exchange, active, store)
  return example ?? reply
}

/** Returns a sentence for each control header of the request that decides its reply. */
function listDecidingHeaders({ request: { headers } }: Exchange): string[] {
  const names = { 'x-sim-scenario': 'X-Sim-Scenario', 'x-sim-sequence': 'X-Sim-Sequence', prefer: 'Prefer' }
  return Object.entries(names).flatMap(([key, name]) => {
    const value = headers[key]
    if (value === undefined || (name === 'Prefer' && !/\b(code|example)\s*=/i.test(value))) return []
    return [`The request's own header decides, ${name}: ${cutText(value, 200)}. Magic values and rules do not act.`]
  })
}

/** Applies the planned fault, and what wider scopes ask for besides, as they do without it. */
async function applyPlannedFault(
  exchange: MatchedExchange,
  sources: ScenarioSources,
  store: Store,
): Promise<Reply | undefined> {
  const fault = sources.findPlannedFault?.(exchange.operation.id, exchange.request.id)
  const reply = fault && (await applyScenarios(exchange, [fault], store))
  return reply ?? applyWiderScope(exchange, sources, store)
}

function applyWiderScope(exchange: MatchedExchange, sources: ScenarioSources, store: Store) {
  if (!hasWiderScope(exchange, sources)) return undefined // the stage need not wait
  return scenariosOfWiderScope(exchange, sources, store).then((active) => applyScenarios(exchange, active, store))
}

/** Returns why the requested controls cannot act as a whole, so that no test believes in a fault that does not act. */
function problemWith(
  exchange: MatchedExchange,
  { scenarios, sequence, example }: RequestedControls,
): string | undefined {
  const items = sequence?.items.map((item) => item.scenario) ?? []
  const all = [...scenarios, ...items]
  const inapplicable = all.map((active) => inapplicableReason(exchange, active)).find((reason) => reason !== undefined)
  if (inapplicable !== undefined) return inapplicable
  const needing = example && all.find(needsOperation)
  if (needing)
    return (
      `"${needing.text}" acts on the work of the operation, and Prefer: example=NAME responses in its place. ` +
      `Leave out one of them${needing.values['when'] ? ', or add when=before' : ''}.`
    )
  const combinations = items.length > 0 ? items.map((item) => [...scenarios, item]) : [scenarios]
  return combinations.map(findConflict).find((conflict) => conflict !== undefined)
}

/** Returns true for a scenario that decides the response of the operation, or promises that the operation has run. */
const needsOperation = ({ definition, values }: ActiveScenario) =>
  values['when'] === 'after' || ['response', 'ordinary', 'data', 'lose-ack'].includes(definition.effect(values).kind)
