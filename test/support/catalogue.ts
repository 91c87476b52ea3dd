import { defaultSettings } from '../../src/config/settings.ts'
import type { ActiveScenario, ScenarioDefinition } from '../../src/scenarios/definition.ts'
import { parseScenarios } from '../../src/scenarios/parse.ts'
import { loadInputs } from '../../src/simulator/loaded-inputs.ts'

/** The inputs of the simulator, loaded once for the sweeps over them. */
export const inputs = await load()

async function load() {
  const loaded = await loadInputs(defaultSettings())
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  return loaded.value
}

/** Returns the text that switches a scenario on: its name and its required parameters. */
export function scenarioText({ name, parameters }: ScenarioDefinition): string {
  const required = parameters.filter((parameter) => parameter.required)
  return [name, ...required.map((parameter) => `${parameter.name}=${parameter.example}`)].join(';')
}

/** Returns the scenario as `scenarioText` switches it on. */
export function activate(entry: ScenarioDefinition): ActiveScenario {
  const parsed = parseScenarios(scenarioText(entry), inputs.catalogue)
  const active = parsed.ok ? parsed.value[0] : undefined
  if (!active) throw new Error(`${entry.name} cannot be switched on: ${JSON.stringify(parsed)}`)
  return active
}

/** Returns the operation of the contract with this id. */
export function operationOf(id: string) {
  const operation = inputs.contract.operations.find((one) => one.id === id)
  if (!operation) throw new Error(`no operation ${id}`)
  return operation
}
