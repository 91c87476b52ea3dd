import type { Parameter } from './parameters.ts'

/** Formats a line of a table for a terminal: the name, then its description. */
export const formatRow = (name: string, description: string) => `  ${name.padEnd(18)} ${description}`

/** Writes a parameter with its default and unit: `retry-after=1 (s): When the client may come back.` */
export function describeParameter(parameter: Parameter): string {
  const { name, default: defaultValue, unit, description } = parameter
  const choices = parameter.type === 'choice' ? ` One of ${parameter.of.join(', ')}.` : ''
  return `${name}${defaultValue === undefined ? '' : `=${defaultValue}`}${unit ? ` (${unit})` : ''}: ${description}${choices}`
}
