import { isObject, type JsonObject } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { findNearest } from '../../base/core/similar.ts'
import { cutText } from '../../base/core/text.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { typesOf } from './body-locations.ts'
import type { DataOverrides, NamedPersona, ScenarioDefinition } from './definition.ts'
import { extremeScenarios } from './extremes.ts'
import { namesOf } from './parameters.ts'

/**
 * Returns the data family: every persona by its name, `all-null`, `no-null`, `null;fields=...` and the extreme
 * responses.
 * @param generated the ids of the operations whose handlers generate numbers; the family applies to no other
 */
export function dataScenarios(
  contract: Contract,
  personas: readonly NamedPersona[],
  generated: readonly string[],
): ScenarioDefinition[] {
  const operations = contract.operations.filter(({ id }) => generated.includes(id))
  const definitions: DataScenario[] = [
    ...personas.map(({ name, about }) => dataScenario(name, `The model is this persona: ${about}`, { persona: name })),
    dataScenario('all-null', 'No traffic: zero counts, and null wherever null is allowed.', { shape: 'all-null' }),
    dataScenario('no-null', 'Data everywhere: no field is null.', { shape: 'no-null' }),
    nullScenario(once(() => operations.flatMap(nullableFieldsOf))), // a start needs no field
    ...extremeScenarios(operations),
  ]
  return definitions.map((definition) => ({
    ...definition,
    inapplicableReason(operation) {
      const { id } = operation
      if (!generated.includes(id)) return `it shapes the response of ${generated.join(', ')}, not of ${id}`
      return definition.fields?.(operation).length === 0 ? `the response of ${id} has no such field` : undefined
    },
  }))
}

/** A scenario of the family without the rule that all of them share. */
type DataScenario = Omit<ScenarioDefinition, 'inapplicableReason'>

function dataScenario(name: string, description: string, overrides: Partial<DataOverrides>): DataScenario {
  return { name, family: 'data', description, parameters: [], effect: () => ({ kind: 'data', overrides }) }
}

function nullScenario(listFields: () => readonly string[]): DataScenario {
  return {
    name: 'null',
    family: 'data',
    description: 'The named fields are null, whatever the numbers say.',
    parameters: [
      {
        name: 'fields',
        type: 'names',
        required: true,
        get example() {
          return listFields().find((field) => !field.includes('.')) ?? 'FIELD'
        },
        description: 'Nullable fields separated by "|", e.g. fields=recommendations|dataPoints.avgSafetyScore.',
      },
    ],
    problem(values) {
      const fields = listFields()
      const unknown = namesOf(values, 'fields').find((field) => !fields.includes(field))
      if (unknown === undefined) return undefined
      const nearest = findNearest(unknown, fields)
      const remedy = nearest === undefined ? `Nullable: ${fields.join(', ')}` : `Did you mean "${nearest}"?`
      return `"${cutText(unknown)}" is no nullable field. ${remedy}`
    },
    fields: nullableFieldsOf,
    effect: (values) => ({ kind: 'data', overrides: { nulls: namesOf(values, 'fields') } }),
  }
}

/** Returns the nullable fields of a response: `avgSafetyScore`, `dataPoints.avgSafetyScore` in an array. */
function nullableFieldsOf(operation: Operation): string[] {
  const schema = operation.responseSchema(operation.successStatus)
  return schema ? nullableIn(schema, '') : []
}

function nullableIn(schema: JsonObject, prefix: string): string[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property)) return []
    const items = property['items']
    const inner = isObject(items) && prefix === '' ? nullableIn(items, `${name}.`) : []
    return typesOf(property).includes('null') ? [prefix + name, ...inner] : inner
  })
}
