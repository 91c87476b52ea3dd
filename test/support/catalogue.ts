import { defaultSettings } from '../../src/config/settings.ts'
import type { ActiveScenario, ScenarioDefinition } from '../../src/scenarios/definition.ts'
import { parseScenarios } from '../../src/scenarios/parse.ts'
import { loadInputs } from '../../src/simulator/loaded-inputs.ts'

/** Everything that the simulator is made of, loaded once for the sweeps over it. */
export const sources = await load()

async function load() {
  const loaded = await loadInputs(defaultSettings())
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  return loaded.value
}

/** How to write each parameter that must be given, so that a sweep can ask for every entry. */
const needed: Readonly<Record<string, string>> = { fields: 'recommendations' }

/** The text that switches an entry on: its name, and the parameters that must be given. */
export function textFor({ name, parameters }: ScenarioDefinition): string {
  const given = parameters.filter(({ required }) => required)
  return [name, ...given.map((parameter) => `${parameter.name}=${needed[parameter.name]}`)].join(';')
}

/** The entry, switched on by that text. */
export function activeOf(entry: ScenarioDefinition): ActiveScenario {
  const parsed = parseScenarios(textFor(entry), sources.catalogue)
  const active = parsed.ok ? parsed.value[0] : undefined
  if (!active) throw new Error(`${entry.name} cannot be switched on: ${JSON.stringify(parsed)}`)
  return active
}

/** The operation of the contract with this id. */
export function operationOf(id: string) {
  const operation = sources.contract.operations.find((one) => one.id === id)
  if (!operation) throw new Error(`no operation ${id}`)
  return operation
}
