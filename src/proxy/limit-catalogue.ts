import type { Catalogue, ScenarioDefinition } from '../scenarios/definition.ts'

/**
 * Returns the catalogue of a proxy, in which a scenario makes no sense if it needs an answer of the simulator: one that chooses invented
 * figures, or the status of a success.
 */
export function limitCatalogue({ definitions }: Catalogue): Catalogue {
  const own = definitions.map(limitToProxy)
  const byName = new Map(own.map((definition) => [definition.name, definition]))
  return { definitions: own, find: (name) => byName.get(name) }
}

function limitToProxy(definition: ScenarioDefinition): ScenarioDefinition {
  return {
    ...definition,
    inapplicableReason(operation, values) {
      const reason = definition.inapplicableReason(operation, values)
      if (reason !== undefined) return reason
      const effect = definition.effect(values)
      if (effect.kind === 'data')
        return 'the real service answers, and its figures cannot be chosen; convsim serve invents them'
      // The ordinary success switches off the scenarios of wider scopes, which a proxy can do, too.
      if (effect.kind === 'ordinary' && effect.status !== operation.successStatus)
        return 'the real service answers, and chooses the status of a success itself'
      return undefined
    },
  }
}
