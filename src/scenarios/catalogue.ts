import type { Contract } from '../contract/contract.ts'
import { connectionScenarios } from './connection.ts'
import { dataScenarios } from './data.ts'
import type { Catalogue, NamedPersona } from './definition.ts'
import { driftScenarios } from './drift.ts'
import { expectationScenarios } from './expectations.ts'
import { refusalScenarios, statusScenarios } from './refusals.ts'
import { timeScenarios } from './time.ts'

/**
 * Creates the catalogue of the scenarios that a contract and its personas allow.
 * @param invented the ids of the operations whose handlers invent figures, to which the data family applies
 */
export function createCatalogue(
  contract: Contract,
  personas: readonly NamedPersona[],
  invented: readonly string[],
): Catalogue {
  const definitions = [
    ...refusalScenarios(),
    ...dataScenarios(contract, personas, invented),
    ...timeScenarios(),
    ...connectionScenarios(),
    ...driftScenarios(),
    ...expectationScenarios(),
    ...statusScenarios(contract),
  ]
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return { definitions, find: (name) => byName.get(name) }
}
