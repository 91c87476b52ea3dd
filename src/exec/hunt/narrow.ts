import type { Operation } from '../../contract/contract.ts'
import type { ActiveScenario, Catalogue } from '../../scenarios/definition.ts'
import { namesOf } from '../../scenarios/parameters.ts'
import { parseScenarios } from '../../scenarios/parse.ts'

/** The fields that an extreme answer changes, and the way to change fewer of them. */
export interface FieldChoice {
  readonly fields: readonly string[]
  /** Returns the scenario that changes these fields alone; undefined: there is none. */
  readonly only: (fields: readonly string[]) => ActiveScenario | undefined
}

/** Returns the fields that a scenario changes in the answers of an operation; undefined for one that cannot be narrowed. */
export function findFields(
  { definition, values }: ActiveScenario,
  operation: Operation,
  catalogue: Catalogue,
): FieldChoice | undefined {
  const narrower = definition.name === 'all-null' ? catalogue.find('null') : definition
  const all = narrower?.fields?.(operation) ?? []
  const fields = values['fields'] === undefined ? all : namesOf(values, 'fields')
  if (!narrower || fields.length === 0) return undefined
  return { fields, only: (chosen) => parseOne(`${narrower.name};fields=${chosen.join('|')}`, catalogue) }
}

/** Returns a delay of so many milliseconds; undefined for a scenario that is no fixed delay, or that is not longer. */
export function shorten(
  { definition, values }: ActiveScenario,
  ms: number,
  catalogue: Catalogue,
): ActiveScenario | undefined {
  const effect = definition.effect(values)
  if (effect.kind !== 'delay' || effect.drawn || effect.ms(() => 0) <= ms) return undefined
  return parseOne(`${definition.name};ms=${ms}`, catalogue)
}

function parseOne(text: string, catalogue: Catalogue): ActiveScenario | undefined {
  const parsed = parseScenarios(text, catalogue)
  return parsed.ok ? parsed.value[0] : undefined
}
