import { isObject } from '../../base/core/json.ts'
import type { Contract } from '../contract/contract.ts'
import { connectionScenarios } from './connection.ts'
import { dataScenarios } from './data.ts'
import type { Catalogue, NamedPersona, ScenarioDefinition } from './definition.ts'
import { driftScenarios } from './drift.ts'
import { gatewayScenarios } from './gateways.ts'
import { createStatusScenario, refusalScenarios, statusScenarios } from './refusals.ts'
import { timeScenarios } from './time.ts'

/** The expectations family. It lets rules mark negative tests when the client cannot send `X-Sim-Expect`. */
const expectationScenarios = (
  [
    ['violation', 'break the contract: reports count the request separately, and list it as a finding if it is valid.'],
    ['refusal', 'be refused: reports count the request separately, and list it as a finding if it is accepted.'],
  ] as const
).map(
  ([expectation, meaning]): ScenarioDefinition => ({
    name: `expect-${expectation}`,
    family: 'expectations',
    description: `The request is expected to ${meaning}`,
    parameters: [],
    effect: () => ({ kind: 'expect', expectation }),
  }),
)

const sampledOut: ScenarioDefinition = {
  name: 'sampled-out',
  family: 'idempotency',
  description: 'Sampling drops the event; the contract defines the status and whether the response has a body.',
  parameters: [],
  inapplicableReason(operation) {
    const properties = operation.bodySchema()?.['properties']
    const hasRate = isObject(properties) && Object.hasOwn(properties, 'sampleRate')
    if (hasRate || operation.droppedStatus !== operation.successStatus) return undefined
    return `${operation.id} does not sample events`
  },
  effect: () => ({ kind: 'sample-out' }),
}

/** Creates the catalogue. `generatedIds` lists the IDs of the operations whose numbers the data family can change. */
export function createCatalogue(
  contract: Contract,
  personas: readonly NamedPersona[],
  generatedIds: readonly string[],
): Catalogue {
  const definitions = [
    ...refusalScenarios,
    ...gatewayScenarios,
    ...dataScenarios(contract, personas, generatedIds),
    ...timeScenarios,
    ...connectionScenarios,
    ...driftScenarios,
    sampledOut,
    ...expectationScenarios,
  ]
  return joinCatalogue(definitions, statusScenarios(contract))
}

export function joinCatalogue(definitions: readonly ScenarioDefinition[], statuses: readonly ScenarioDefinition[]) {
  const byName = new Map([...definitions, ...statuses].map((definition) => [definition.name, definition]))
  const find = (name: string) =>
    byName.get(name) ?? (/^[45]\d\d$/.test(name) ? createStatusScenario(Number(name)) : undefined)
  return { definitions, statuses, find }
}
