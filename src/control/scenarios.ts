import { endSentence } from '../core/end-sentence.ts'
import type { Json } from '../core/json.ts'
import type { RulePosition } from '../sandboxes/settings.ts'
import { checkRules } from '../scenarios/check-rules.ts'
import { type ActiveRules, maxRules, type Rule, ruleActedKey, ruleTimesKey } from '../scenarios/rules.ts'
import type { ControlDeps } from './deps.ts'
import { ControlError, type ControlHandlers, type ControlRequest } from './handler.ts'
import { sequencesToJson } from './sequences.ts'

/** Handles `GET`, `PUT`, `POST` and `DELETE scenarios`, and `GET sequences`. */
export function scenarioHandlers(
  deps: ControlDeps,
): Pick<
  ControlHandlers,
  'getScenarios' | 'putScenarios' | 'addScenarios' | 'deleteScenarios' | 'getSequences'
> {
  const { catalogue, contract, sandboxes, store, startUp } = deps
  const readRules = ({ body, bodyViolations }: ControlRequest): readonly Rule[] | ControlError => {
    const read = checkRules(body, bodyViolations, { catalogue, contract })
    if (read.ok) return read.value
    const problems = read.error.map(({ pointer, message }) => endSentence(`body${pointer}: ${message}`))
    return new ControlError(400, `Invalid rules: ${problems.join(' ')}`)
  }
  return {
    async getScenarios({ sandbox }) {
      const { rules } = await sandboxes.settings.read(sandbox)
      const used = await store.listSequences(sandbox)
      const counts = { rules: countsToJson(rules, used), startUp: countsToJson(startUp(), used) }
      return { rules: rulesToJson(rules), startUp: rulesToJson(startUp()), counts }
    },
    async putScenarios(request) {
      const rules = readRules(request)
      if (rules instanceof ControlError) return rules
      const { name } = sandboxes.use(request.sandbox)
      await sandboxes.settings.setRules(name, rules)
      return { rules: rulesToJson(rules) }
    },
    async addScenarios(request) {
      const added = readRules(request)
      if (added instanceof ControlError) return added
      const { name } = sandboxes.use(request.sandbox)
      const rules = await sandboxes.settings.addRules(
        name,
        added,
        request.parameters.query['position'] as RulePosition,
      ) // typed by the control document
      if (rules) return { rules: rulesToJson(rules) }
      return new ControlError(
        400,
        `A sandbox has at most ${maxRules} rules. Remove some, or replace all (PUT scenarios).`,
      )
    },
    async deleteScenarios(request) {
      const { name } = sandboxes.use(request.sandbox)
      await sandboxes.settings.setRules(name, [])
      return { rules: [] }
    },
    async getSequences({ sandbox }) {
      const { rules } = await sandboxes.settings.read(sandbox)
      const used = await store.listSequences(sandbox)
      return { sequences: sequencesToJson(used, { sandbox: rules, 'start-up': startUp() }, catalogue) }
    },
  }
}

const rulesToJson = (rules: readonly Rule[]): Json[] => rules.map(({ source }) => source)

/** Returns the counts of the rules, in their order. `used`: the counts of the store by key. */
function countsToJson(rules: ActiveRules, used: ReadonlyMap<string, number>): Json[] {
  return rules.map((rule) => {
    const acted = used.get(ruleActedKey(rule)) ?? 0
    const left = rule.times === undefined ? undefined : rule.times - (used.get(ruleTimesKey(rule)) ?? 0)
    return {
      acted,
      ...(left !== undefined && { left: Math.max(0, left) }),
      ...(rule.misfit !== undefined && { misfit: rule.misfit }),
    }
  })
}
