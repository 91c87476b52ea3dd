import type { Contract } from '../contract/contract.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Catalogue } from '../scenarios/definition.ts'
import { sequencePrefix } from '../scenarios/parse.ts'
import { noRules, type RuleSet, readRules, ruleSequencePrefix } from '../scenarios/rules.ts'
import type { Store } from '../state/store.ts'
import { ControlError, type ControlHandlers } from './handler.ts'

/** Dependencies of `scenarioHandlers`. */
export interface ScenarioHandlerDeps {
  readonly catalogue: Catalogue
  readonly contract: Contract
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** Rules that hold in every sandbox, from `--scenario` and `--scenarios`. */
  readonly startUp: RuleSet
}

/** Handles `GET`, `PUT` and `DELETE scenarios`, and `GET sequences`. */
export function scenarioHandlers(
  deps: ScenarioHandlerDeps,
): Pick<ControlHandlers, 'getScenarios' | 'putScenarios' | 'deleteScenarios' | 'getSequences'> {
  const { catalogue, contract, sandboxes, store, startUp } = deps
  let ruleSetCount = 0
  return {
    async getScenarios({ sandbox }) {
      sandboxes.use(sandbox)
      const { rules } = await sandboxes.settings.read(sandbox)
      return { rules: rulesToJson(rules), startUp: rulesToJson(startUp) }
    },
    async putScenarios(request) {
      const read = readRules(isObject(request.body) ? request.body : {}, { catalogue, contract })
      if (!read.ok)
        return new ControlError(
          400,
          `Invalid rules: ${read.error.map(({ pointer, message }) => `${pointer}: ${message}`).join(' ')}`,
        )
      const { name } = sandboxes.use(request.sandbox)
      const rules = { id: `${name} ${++ruleSetCount}`, rules: read.value }
      await sandboxes.settings.setRules(name, rules)
      return { rules: rulesToJson(rules) }
    },
    async deleteScenarios(request) {
      const { name } = sandboxes.use(request.sandbox)
      await sandboxes.settings.setRules(name, noRules)
      return { rules: [] }
    },
    async getSequences(request) {
      const { name } = sandboxes.use(request.sandbox)
      const { rules } = await sandboxes.settings.read(name)
      const prefixes = [sequencePrefix, ...prefixesOf(rules), ...prefixesOf(startUp)]
      const sequences = [...(await store.listSequences(name))].flatMap(([key, met]) => {
        const prefix = prefixes.find((known) => key.startsWith(known))
        return prefix === undefined ? [] : [{ ...parseSequenceKey(key.slice(prefix.length)), met }]
      })
      return { sequences }
    },
  }
}

const prefixesOf = (set: RuleSet) => set.rules.map((_rule, index) => ruleSequencePrefix(set, index))

const rulesToJson = ({ rules }: RuleSet): Json[] => rules.map(({ source }) => source)

/** Splits `operationId sequence`. Only the id of an operation without `operationId` contains a space: `GET /models/{modelId}`. */
function parseSequenceKey(key: string): JsonObject {
  const [, operation = '', sequence = ''] = /^((?:[A-Z]+ \/\S*)|\S+) (.*)$/s.exec(key) ?? []
  return { operation, sequence }
}
