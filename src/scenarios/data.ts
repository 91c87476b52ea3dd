import type { Contract, Operation } from '../contract/contract.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { DataOverrides, NamedPersona, ScenarioDefinition } from './definition.ts'
import { namesOf } from './parameters.ts'

/** The operation with invented figures; the data family applies to no other. */
const analyticsOperation = 'getModelAnalytics'

/** Returns the data family: every persona by its name, `all-null`, `no-null`, `null;fields=...`. */
export function dataScenarios(contract: Contract, personas: readonly NamedPersona[]): ScenarioDefinition[] {
  return [
    ...personas.map(({ name, about }) =>
      dataScenario(name, `The model is this persona: ${about}`, { persona: name }),
    ),
    dataScenario('all-null', 'No traffic: zero counts, and null wherever null is allowed.', {
      shape: 'all-null',
    }),
    dataScenario('no-null', 'Data everywhere: no field is null.', { shape: 'no-null' }),
    nullScenario(nullableFields(contract)),
  ]
}

function dataScenario(
  name: string,
  description: string,
  overrides: Partial<DataOverrides>,
): ScenarioDefinition {
  return {
    name,
    family: 'data',
    description,
    parameters: [],
    inapplicableReason,
    effect: () => ({ kind: 'data', overrides }),
  }
}

function nullScenario(fields: readonly string[]): ScenarioDefinition {
  return {
    name: 'null',
    family: 'data',
    description: 'The named fields are null, whatever the figures say.',
    parameters: [
      {
        name: 'fields',
        type: 'names',
        required: true,
        description:
          'Nullable fields separated by "|", e.g. fields=recommendations|dataPoints.avgSafetyScore.',
      },
    ],
    inapplicableReason,
    problem(values) {
      const unknown = namesOf(values, 'fields').find((field) => !fields.includes(field))
      return unknown === undefined
        ? undefined
        : `"${unknown}" is no nullable field. Nullable: ${fields.join(', ')}`
    },
    effect: (values) => ({ kind: 'data', overrides: { nulls: namesOf(values, 'fields') } }),
  }
}

function inapplicableReason(operation: Operation): string | undefined {
  return operation.id === analyticsOperation
    ? undefined
    : `it shapes the answer of ${analyticsOperation}, not of ${operation.id}`
}

/** Returns all nullable fields of the contract's analytics: `avgSafetyScore`, and `dataPoints.avgSafetyScore` inside an array. */
export function nullableFields(contract: Contract): string[] {
  const operation = contract.operations.find(({ id }) => id === analyticsOperation)
  const schema = operation?.responseSchema(operation.successStatus)
  return schema ? nullableIn(schema, '') : []
}

function nullableIn(schema: JsonObject, prefix: string): string[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property)) return []
    const items = property['items']
    const inner = isObject(items) && prefix === '' ? nullableIn(items, `${name}.`) : []
    return allowsNull(property['type']) ? [prefix + name, ...inner] : inner
  })
}

function allowsNull(type: Json | undefined): boolean {
  return Array.isArray(type) && type.includes('null')
}
