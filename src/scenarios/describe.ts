import { type Catalogue, probability, type ScenarioDefinition } from './definition.ts'
import type { Parameter } from './parameters.ts'

/** Returns the catalogue as `--help` shows it: a line for each scenario, with its parameters below. */
export function describeCatalogue(catalogue: Catalogue): string {
  const lines = catalogue.definitions.flatMap((entry) => [
    row(entry.name, entry.description),
    ...parameterLines(entry),
  ])
  return [...lines, row('(any of them)', describeParameter(probability))].join('\n')
}

const row = (name: string, about: string) => `  ${name.padEnd(18)} ${about}`

function parameterLines(entry: ScenarioDefinition): string[] {
  return entry.parameters.map((parameter) => row('', `  ${describeParameter(parameter)}`))
}

/** Returns `retry-after=1 (s): When the client may come back.` */
export function describeParameter(parameter: Parameter): string {
  const { name, default: standard, unit, description } = parameter
  const choices = parameter.type === 'choice' ? ` One of ${parameter.of.join(', ')}.` : ''
  return `${name}${standard === undefined ? '' : `=${standard}`}${unit ? ` (${unit})` : ''}: ${description}${choices}`
}
