import type { Contract } from '../contract/contract.ts'
import type { DataOverrides, NamedPersona, ScenarioDefinition } from './definition.ts'
import { fieldScenarios } from './fields.ts'

/** Returns the data family, which applies only to operations that return generated data: those in `generatedIds`. */
export function dataScenarios(
  { operations }: Contract,
  personas: readonly NamedPersona[],
  generatedIds: readonly string[],
): ScenarioDefinition[] {
  const definitions = [
    ...personas.map(({ name, about }) => dataScenario(name, about, { persona: name })),
    dataScenario('all-null', 'Counts are zero; nullable fields are null, whatever the persona.', { shape: 'all-null' }),
    dataScenario('no-null', 'Every field has data; none is null.', { shape: 'no-null' }),
    ...fieldScenarios(operations.filter(({ id }) => generatedIds.includes(id))),
  ]
  return definitions.map((definition) => ({
    ...definition,
    inapplicableReason: (operation, values) =>
      generatedIds.includes(operation.id)
        ? definition.inapplicableReason?.(operation, values)
        : `it changes only generated data, which ${operation.id} does not return`,
  }))
}

function dataScenario(name: string, description: string, overrides: Partial<DataOverrides>): ScenarioDefinition {
  return {
    name,
    family: 'data',
    description,
    parameters: [],
    effect: () => ({ kind: 'data', overrides }),
  }
}
