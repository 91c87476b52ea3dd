import type { Catalogue, Entry } from './catalogue.ts'
import type { Parameter } from './parameters.ts'

/** The catalogue as `--help` shows it: a line an entry, its parameters below. */
export function describeCatalogue(catalogue: Catalogue): string {
  return catalogue.entries
    .flatMap((entry) => [`  ${entry.name.padEnd(18)} ${entry.about}`, ...parameterLines(entry)])
    .join('\n')
}

function parameterLines(entry: Entry): string[] {
  return entry.parameters.map((parameter) => `  ${''.padEnd(18)}   ${describeParameter(parameter)}`)
}

/** `retry-after=1 (s): When the client may come back.` */
export function describeParameter({ name, default: standard, unit, about }: Parameter): string {
  return `${name}${standard === undefined ? '' : `=${standard}`}${unit && ` (${unit})`}: ${about}`
}
