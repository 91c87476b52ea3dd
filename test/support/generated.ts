import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { bundledContract, controlContract } from '../../src/service/fixtures/bundled.ts'
import type { Parameter } from '../../src/service/scenarios/parameters.ts'
import { inputs } from './catalogue.ts'

/** The files that `npm run generate` writes, except for the files in `typedDocuments`. */
export const generatedFiles = {
  clientNames: new URL('../../src/client/names.ts', import.meta.url),
}

/** The documents for which `npm run generate` writes types. */
export const typedDocuments = [
  { document: controlContract, file: new URL('../../src/client/control-types.ts', import.meta.url) },
  { document: bundledContract, file: new URL('../../src/service/simulation/service-types.ts', import.meta.url) },
]

/** Returns the first line of a types file. The digest in it shows whether the file is up to date. */
export async function typesHeading(document: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(document))
    .digest('hex')
  return (
    `/** Types of requests and responses. \`npm run generate\` writes them from ${basename(document)} ` +
    `with the SHA-256 ${digest}. */\n`
  )
}

/** Returns source code that defines the names in the bundled contract, catalogue and fixtures as literal types. */
export function clientNamesText(): string {
  const formatter = ['biome', 'format', '--stdin-file-path=names.ts']
  return execFileSync('npx', formatter, { input: unformattedNames(), encoding: 'utf8' })
}

function unformattedNames(): string {
  const { catalogue, contract, fixtures } = inputs
  const personas = fixtures.personas.map(({ name }) => name)
  const statuses = new Set(contract.operations.flatMap(({ statuses: documented }) => documented))
  const scenarios = [...catalogue.definitions, ...catalogue.statuses]
    .filter(({ name }) => !personas.includes(name))
    .map(({ name, parameters }) => `  readonly '${name}': ${parametersType(parameters)}\n`)
  return `// \`npm run generate\` writes this file from spec/openapi.yaml, fixtures/ and the scenarios. Edit those.

/** The \`operationId\`s in the service's document. */
export type OperationId = ${union(contract.operations.map(({ id }) => id))}

/** The statuses that the service's document lists. */
export type DocumentedStatus = ${[...statuses].sort((a, b) => a - b).join(' | ')}

/** The names of the personas in the bundled fixtures. */
export type PersonaName = ${union(personas)}

/** The parameter that every scenario has: the probability (0 to 1) that the scenario is applied to a request. */
export interface AnyScenarioParameters {
  readonly p?: number
}

/** The scenarios by name, with their parameters. Personas are scenarios too. */
export interface ScenarioParameters extends Readonly<Record<PersonaName, AnyScenarioParameters>> {
${scenarios.join('')}}
`
}

const union = (names: readonly string[]) => names.map((name) => `'${name}'`).join(' | ')

/** Returns the type of a scenario's parameters, such as `AnyScenarioParameters & { readonly ms?: number }`. */
function parametersType(parameters: readonly Parameter[]): string {
  const members = parameters.map(
    (parameter) => `readonly '${parameter.name}'${parameter.required ? '' : '?'}: ${valueType(parameter)}`,
  )
  return ['AnyScenarioParameters', ...(members.length > 0 ? [`{ ${members.join('; ')} }`] : [])].join(' & ')
}

function valueType(parameter: Parameter): string {
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return ['number', ...(parameter.words ? [union(parameter.words)] : [])].join(' | ')
    case 'choice':
      return union(parameter.of)
    case 'names':
      return 'string | readonly string[]'
    case 'text':
      return 'string'
  }
}
