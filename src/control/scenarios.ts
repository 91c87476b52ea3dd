import type { Contract } from '../contract/contract.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { type Catalogue, probability, type ScenarioDefinition } from '../scenarios/catalogue.ts'
import type { Parameter } from '../scenarios/parameters.ts'
import { sequencePrefix } from '../scenarios/parse.ts'
import { noRules, type RuleSet, readRules, ruleSequencePrefix } from '../scenarios/rules.ts'
import type { Store } from '../state/store.ts'
import { ControlError, type ControlHandlers, type ControlRequest } from './handler.ts'

/** Dependencies of `scenarioHandlers`. */
export interface ScenarioDeps {
  readonly catalogue: Catalogue
  readonly contract: Contract
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** Rules that hold in every sandbox since the start. */
  readonly startUp: RuleSet
}

/** `GET catalogue`, `GET/PUT/DELETE scenarios`, `GET sequences`. */
export function scenarioHandlers(
  deps: ScenarioDeps,
): Pick<
  ControlHandlers,
  'getCatalogue' | 'getScenarios' | 'putScenarios' | 'deleteScenarios' | 'getSequences'
> {
  const { catalogue, contract, sandboxes, store, startUp } = deps
  const asked = ({ sandbox }: ControlRequest) => sandboxes.use(sandbox)
  let sets = 0
  return {
    getCatalogue: () => ({ scenarios: catalogue.definitions.map(described) }),
    getScenarios: (request) => ({ rules: sourcesOf(asked(request).rules), startUp: sourcesOf(startUp) }),
    putScenarios(request) {
      const read = readRules(isObject(request.body) ? request.body : {}, { catalogue, contract })
      if (!read.ok)
        return new ControlError(
          400,
          `Invalid rules: ${read.error.map(({ pointer, message }) => `${pointer}: ${message}`).join(' ')}`,
        )
      const sandbox = asked(request)
      sandbox.rules = { id: `${sandbox.name} ${++sets}`, rules: read.value }
      return { rules: sourcesOf(sandbox.rules) }
    },
    deleteScenarios(request) {
      asked(request).rules = noRules
      return { rules: [] }
    },
    async getSequences(request) {
      const { name, rules } = asked(request)
      const prefixes = [sequencePrefix, ...prefixesOf(rules), ...prefixesOf(startUp)]
      const sequences = [...(await store.listSequences(name))].flatMap(([key, met]) => {
        const prefix = prefixes.find((one) => key.startsWith(one))
        return prefix === undefined ? [] : [{ ...named(key.slice(prefix.length)), met }]
      })
      return { sequences }
    },
  }
}

const prefixesOf = (set: RuleSet) => set.rules.map((_rule, index) => ruleSequencePrefix(set, index))

const sourcesOf = ({ rules }: RuleSet): Json[] => rules.map(({ source }) => source)

/** The key is `operationId text`; an `operationId` has no space, unless the document gives none and it is a method and path. */
function named(key: string): JsonObject {
  const [, operation = '', sequence = ''] = /^((?:[A-Z]+ \/\S*)|\S+) (.*)$/s.exec(key) ?? []
  return { operation, sequence }
}

function described({ name, family, description, parameters }: ScenarioDefinition): JsonObject {
  return { name, family, about: description, parameters: [...parameters, probability].map(parameterShown) }
}

function parameterShown({ required = false, description, ...spec }: Parameter): JsonObject {
  return JSON.parse(JSON.stringify({ ...spec, about: description, required }))
}
