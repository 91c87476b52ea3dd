/** `features/scenarios/`: lists the scenarios, or shows one of them with an example. */
import { failure, type Result, success } from '../../base/core/result.ts'
import { endSentence } from '../../base/core/text.ts'
import { formatFinding } from '../../base/documents/source.ts'
import { formatTableRow, wrapText } from '../../command-line/parser/table.ts'
import type { CommandContext } from '../../command-line/process/command.ts'
import { defaultSettings, type Settings } from '../../server/settings/settings.ts'
import { type LoadedInputs, loadInputs } from '../../server/simulator/loaded-inputs.ts'
import { buildModelPath, findOrdinaryModel } from '../../server/simulator/ordinary-model.ts'
import type { Contract, Operation } from '../../service/contract/contract.ts'
import { isDocumented } from '../../service/exchange/refusals.ts'
import { describeClientView, describeParameter, exampleOf, formatRow } from '../../service/scenarios/client-view.ts'
import {
  type ActiveScenario,
  type Catalogue,
  families,
  probability,
  type ScenarioDefinition,
} from '../../service/scenarios/definition.ts'
import { parseScenarios } from '../../service/scenarios/parse.ts'

type ScenarioSettings = Pick<Settings, 'contract' | 'overlay' | 'fixtures' | 'port'>

export async function printScenarios(
  [text]: readonly string[],
  settings: ScenarioSettings,
  { print, printError }: Pick<CommandContext, 'print' | 'printError'>,
): Promise<number> {
  const inputs = await loadInputs({ ...defaultSettings(), ...settings })
  if (!inputs.ok) {
    printError(inputs.error.map(formatFinding).join('\n'))
    return 1
  }
  if (text === undefined) {
    print(listScenarios(inputs.value))
    return 0
  }
  const found = findScenarios(text, inputs.value.catalogue)
  if (found.ok) print(found.value.map((one) => describeScenario(one, inputs.value, settings)).join('\n\n'))
  else printError(`convsim scenarios: ${found.error}`)
  return found.ok ? 0 : 1
}

function findScenarios(text: string, catalogue: Catalogue): Result<readonly ActiveScenario[]> {
  const definition = catalogue.find(text.trim())
  if (definition) return success([exampleOf(definition)])
  const parsed = parseScenarios(text, catalogue)
  return parsed.ok && parsed.value.length === 0 ? failure('The name of the scenario is empty.') : parsed
}

function listScenarios({ catalogue, contract }: LoadedInputs): string {
  const statuses = catalogue.statuses.map(({ name }) => name)
  const sections = families.map((family) => {
    const definitions = catalogue.definitions.filter((definition) => definition.family === family)
    const limits = new Set(definitions.map((one) => describeLimits(one, contract)))
    const [shared = ''] = limits.size === 1 ? limits : []
    const rows = definitions.map((one) => {
      const limit = limits.size === 1 ? '' : describeLimits(one, contract)
      return formatTableRow(one.name, 18, one.description + (limit && ` Applies to: ${limit}.`))
    })
    return `${family}${shared && ` (applies to ${shared})`}\n${rows.join('\n')}`
  })
  const intro =
    '"convsim scenarios NAME" shows parameters, an example, and what the client sees.\n' +
    wrapText(`Documented statuses are also scenarios: ${statuses.join(', ')}.`)
  return [intro, ...sections].join('\n\n')
}

const findObstacle = ({ definition, values }: ActiveScenario, operation: Operation) =>
  definition.inapplicableReason?.(operation, values)

/** Describes the operations that a scenario applies to; returns '' if it applies to all. */
function describeLimits(definition: ScenarioDefinition, { operations }: Contract): string {
  const example = exampleOf(definition)
  const applicable = operations.filter((one) => findObstacle(example, one) === undefined)
  return applicable.length === operations.length
    ? ''
    : applicable.map(({ id }) => id).join(', ') || 'no operation in this contract'
}

function describeScenario(active: ActiveScenario, inputs: LoadedInputs, { port }: ScenarioSettings): string {
  const { definition, values } = active
  const { operations } = inputs.contract
  const views = operations.map((operation) => {
    const reason = findObstacle(active, operation)
    const view = reason === undefined ? describeClientView(definition.effect(values), operation) : undefined
    return formatRow(operation.id, view ?? endSentence(`Not applicable: ${reason}`))
  })
  const applicable = operations.filter((operation) => findObstacle(active, operation) === undefined)
  const shown = findExampleOperation(active, applicable)
  const example = shown && formatExampleCurl(shown, active, inputs, port).replaceAll('\n', '\n  ')
  return [
    `${definition.name} (${definition.family})\n  ${definition.description}`,
    `Parameters\n${[...definition.parameters, probability].map((one) => `  ${describeParameter(one)}`).join('\n')}`,
    `What the client sees\n${views.join('\n')}`,
    ...(example === undefined ? [] : [`Example\n  ${example}`]),
    `Ways to switch it on without a header\n${listOtherWays(active, inputs).join('\n')}`,
  ].join('\n\n')
}

/** Finds an operation for the example: if possible, one that documents the scenario's status, and preferably a GET. */
function findExampleOperation({ definition, values }: ActiveScenario, applicable: readonly Operation[]) {
  const effect = definition.effect(values)
  if (effect.kind === 'expect') return undefined // the example request is valid, so it would not meet the expectation
  const byMethod = [...applicable].sort((one, other) => Number(other.method === 'GET') - Number(one.method === 'GET'))
  const hasDocumentedStatus = (operation: Operation) => {
    if (effect.kind === 'ordinary') return operation.statuses.includes(effect.status)
    return effect.kind !== 'response' || isDocumented(operation, effect.reply(operation).status)
  }
  return byMethod.find(hasDocumentedStatus) ?? byMethod[0]
}

/** Lists the ways to switch on a scenario without a request header, one per row. */
function listOtherWays({ definition, text }: ActiveScenario, { fixtures }: LoadedInputs): string[] {
  const isThisScenario = (scenario: string | undefined) => scenario?.split(';', 1)[0]?.trim() === definition.name
  const keys = fixtures.keys.filter(({ scenario }) => isThisScenario(scenario))
  const models = fixtures.models.filter(({ scenario, persona, shape }) =>
    scenario === undefined ? (shape ?? persona) === definition.name : isThisScenario(scenario),
  )
  return [
    formatRow('every request', `convsim --scenario ${quoteForShell(text)}`),
    formatRow('a rule', `PUT /__sim/scenarios ${JSON.stringify({ rules: [{ scenario: text }] })}`),
    ...keys.map(({ token }) => formatRow('a magic key', token)),
    ...models.map(({ id }) => formatRow('a model', id)),
  ]
}

function formatExampleCurl(
  operation: Operation,
  { text }: ActiveScenario,
  { fixtures }: LoadedInputs,
  port: number,
): string {
  const path = buildModelPath(operation, findOrdinaryModel(fixtures)?.id)
  const body = operation.body && JSON.stringify(operation.bodyExamples()[0]?.value ?? {})
  const parts = [
    `curl -i ${quoteForShell(`http://127.0.0.1:${port}${path}`)}`,
    ...(operation.method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${operation.method}`]),
    `-H 'Authorization: Bearer any-key'`,
    `-H ${quoteForShell(`X-Sim-Scenario: ${text}`)}`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoteForShell(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
