import { type Catalogue, probability, type ScenarioDefinition } from './definition.ts'
import type { Parameter } from './parameters.ts'

/** Returns the catalogue as `--help` shows it: a line for each scenario, with its parameters below. */
export function describeCatalogue(catalogue: Catalogue): string {
  const lines = catalogue.definitions.flatMap((definition) => [
    row(definition.name, definition.description),
    ...parameterLines(definition),
  ])
  return [...lines, row('(any of them)', describeParameter(probability))].join('\n')
}

const row = (name: string, description: string) => `  ${name.padEnd(18)} ${description}`

function parameterLines({ parameters }: ScenarioDefinition): string[] {
  return parameters.map((parameter) => row('', `  ${describeParameter(parameter)}`))
}

/** Writes a parameter with its default and unit: `retry-after=1 (s): When the client may come back.` */
export function describeParameter(parameter: Parameter): string {
  const { name, default: defaultValue, unit, description } = parameter
  const choices = parameter.type === 'choice' ? ` One of ${parameter.of.join(', ')}.` : ''
  return `${name}${defaultValue === undefined ? '' : `=${defaultValue}`}${unit ? ` (${unit})` : ''}: ${description}${choices}`
}
