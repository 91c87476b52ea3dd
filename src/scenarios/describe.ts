import { type Catalogue, probability, type ScenarioDefinition } from './definition.ts'
import type { Parameter } from './parameters.ts'

/** Returns the catalogue as `--help` shows it: a line for each scenario, with its parameters below. */
export function describeCatalogue(catalogue: Catalogue): string {
  const lines = catalogue.definitions.flatMap((definition) => [
    formatRow(definition.name, definition.description),
    ...parameterLines(definition),
  ])
  return [...lines, formatRow('(any of them)', describeParameter(probability))].join('\n')
}

/** Formats a line of a table for a terminal: the name, then its description. */
export const formatRow = (name: string, description: string) => `  ${name.padEnd(18)} ${description}`

function parameterLines({ parameters }: ScenarioDefinition): string[] {
  return parameters.map((parameter) => formatRow('', `  ${describeParameter(parameter)}`))
}

/** Writes a parameter with its default and unit: `retry-after=1 (s): When the client may come back.` */
export function describeParameter(parameter: Parameter): string {
  const { name, default: defaultValue, unit, description } = parameter
  const choices = parameter.type === 'choice' ? ` One of ${parameter.of.join(', ')}.` : ''
  return `${name}${defaultValue === undefined ? '' : `=${defaultValue}`}${unit ? ` (${unit})` : ''}: ${description}${choices}`
}
