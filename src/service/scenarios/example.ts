import { type ActiveScenario, probability, type ScenarioDefinition } from './definition.ts'
import { type Parameter, readValues } from './parameters.ts'

/** Returns a scenario as its example switches it on: `null;fields=recommendations`, `slow;ms=1000`, `server-error`. */
export function exampleOf(definition: ScenarioDefinition): ActiveScenario {
  const texts = new Map(listShownParameters(definition).map((parameter) => [parameter.name, exampleValue(parameter)]))
  const read = readValues([...definition.parameters, probability], texts)
  if (!read.ok) throw new Error(`the example of the scenario "${definition.name}" ${read.error}`)
  const text = [definition.name, ...Array.from(texts, ([name, value]) => `${name}=${value}`)].join(';')
  return { definition, values: read.value, text }
}

/** Returns the parameters that must be given, or else the first one with a default, as an example of the form. */
function listShownParameters({ parameters }: ScenarioDefinition): readonly Parameter[] {
  const required = parameters.filter((parameter) => parameter.required)
  return required.length > 0 ? required : parameters.filter((parameter) => parameter.default !== undefined).slice(0, 1)
}

const exampleValue = (parameter: Parameter) => String(parameter.example ?? parameter.default)
