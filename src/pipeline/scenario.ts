import { type Exchange, operationOf, type Reply, type Stage } from '../exchange.ts'
import { refusals } from '../refusals.ts'
import type { ActiveScenario, Catalogue } from '../scenarios/catalogue.ts'
import { type Effect, unshaped } from '../scenarios/effects.ts'
import { parseScenarios } from '../scenarios/parse.ts'
import { type Asked, readControls } from './controls.ts'

/** Who may switch something on, besides the request's own controls. */
export interface ScenarioSources {
  readonly catalogue: Catalogue
  /** Scenarios by magic value (`fixtures/`): a model id. */
  readonly ofModel: ReadonlyMap<string, string>
  /** `--scenario`: for every request. */
  readonly startUp: readonly ActiveScenario[]
}

/**
 * What acts on this request. Precedence: request > sandbox > start-up > default; the narrowest scope that asks for
 * anything decides alone. In the request, a control goes before a magic value.
 */
export function scenario(sources: ScenarioSources): Stage {
  return function scenario(exchange) {
    const asked = readControls(exchange, sources.catalogue)
    if (!asked.ok) return refusals.control(asked.problem)
    const { scenarios, example, preferred } = asked.value
    const problem = misfitIn(exchange, asked.value)
    if (problem) return refusals.control(problem)
    if (preferred) exchange.extraHeaders['Preference-Applied'] = preferred
    exchange.scenarios = scenarios.length > 0 || example ? scenarios : widerScope(exchange, sources)
    return example ?? apply(exchange)
  }
}

/** Why what the request asks for cannot be done as a whole: nobody is to believe that something was switched on and was not. */
function misfitIn(exchange: Exchange, { scenarios, example }: Asked): string | undefined {
  const misfit = scenarios.map((active) => unfit(exchange, active)).find((reason) => reason !== undefined)
  const answers = scenarios.filter(({ entry, values }) => entry.effect(values).kind === 'answer')
  if (misfit || answers.length + (example ? 1 : 0) < 2) return misfit
  return 'The request asks for more than one answer; only one of them could be given.'
}

/** The narrowest scope beyond the request's controls that has anything for this operation. */
function widerScope(
  exchange: Exchange,
  { catalogue, ofModel, startUp }: ScenarioSources,
): readonly ActiveScenario[] {
  const magic = [
    exchange.caller?.scenario,
    ...Object.values(exchange.pathParameters).map((id) => ofModel.get(id.toLowerCase())),
  ]
  const byMagic = magic.filter((text) => text !== undefined).flatMap((text) => checked(text, catalogue))
  const fitting = [byMagic, startUp].map((scope) =>
    scope.filter((active) => unfit(exchange, active) === undefined),
  )
  return fitting.find((scope) => scope.length > 0) ?? []
}

/** A fixture's scenario was parsed when the fixtures were loaded. */
function checked(text: string, catalogue: Catalogue): readonly ActiveScenario[] {
  const parsed = parseScenarios(text, catalogue)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.value
}

function unfit(exchange: Exchange, { entry, text }: ActiveScenario): string | undefined {
  const reason = entry.unfit(operationOf(exchange))
  return reason === undefined ? undefined : `The scenario "${text}" makes no sense here: ${reason}.`
}

function apply(exchange: Exchange): Reply | undefined {
  let reply: Reply | undefined
  for (const { entry, values } of exchange.scenarios) {
    const effect: Effect = entry.effect(values)
    if (effect.kind === 'shape') exchange.shaping = { ...unshaped, ...exchange.shaping, ...effect.shaping }
    if (effect.kind === 'answer') reply ??= effect.reply(operationOf(exchange))
  }
  return reply
}
