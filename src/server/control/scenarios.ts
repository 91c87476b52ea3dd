import type { JsonObject } from '../../base/core/json.ts'
import { endSentence } from '../../base/core/text.ts'
import type { Catalogue } from '../../service/scenarios/definition.ts'
import { parseSequence, positionAt, type Sequence, sequencePrefix } from '../../service/scenarios/parse.ts'
import {
  type ActiveRules,
  listRulesInOrder,
  maxRules,
  type Rule,
  readRules,
  ruleAppliedKey,
  ruleSequencePrefix,
  ruleTimesKey,
  type ScopedRule,
} from '../../service/scenarios/rules.ts'
import type { RulePosition } from '../sandboxes/settings.ts'
import { ControlError, type ControlRequest, type HandlerGroup } from './handler.ts'

export const scenarioHandlers: HandlerGroup = ({ sandboxes, store, served, keepUnmet }) => {
  const rulesOf = ({ body }: ControlRequest): readonly Rule[] | ControlError => {
    const { rules } = body as { rules: JsonObject[] } // validated against the control document
    const read = readRules(rules, served())
    if (read.ok) return read.value
    const problems = read.error.map(({ pointer, message }) => endSentence(`body${pointer}: ${message}`))
    return new ControlError(400, `Invalid rules: ${problems.join(' ')}`)
  }
  const replaceRules = async (request: ControlRequest, rules: readonly Rule[]) => {
    const { name } = sandboxes.use(request.sandbox)
    await keepUnmet(name)
    await sandboxes.settings.setRules(name, rules)
    return { rules: rulesToJson(rules) }
  }
  return {
    async getScenarios({ sandbox }) {
      const { rules } = await sandboxes.settings.read(sandbox)
      const countsByKey = await store.listSequences(sandbox)
      const { startupRules } = served()
      const counts = { rules: countsToJson(rules, countsByKey), startup: countsToJson(startupRules, countsByKey) }
      return { rules: rulesToJson(rules), startup: rulesToJson(startupRules), counts }
    },
    async putScenarios(request) {
      const rules = rulesOf(request)
      return rules instanceof ControlError ? rules : replaceRules(request, rules)
    },
    async addScenarios(request) {
      const added = rulesOf(request)
      if (added instanceof ControlError) return added
      const { name } = sandboxes.use(request.sandbox)
      const position = request.parameters.query['position'] as RulePosition // typed by the control document
      const rules = await sandboxes.settings.addRules(name, added, position)
      const error = `A sandbox can have at most ${maxRules} rules. Replace them with fewer rules: PUT /__sim/scenarios.`
      return rules ? { rules: rulesToJson(rules) } : new ControlError(400, error)
    },
    deleteScenarios: (request) => replaceRules(request, []),
    async getSequences({ sandbox }) {
      const { rules } = await sandboxes.settings.read(sandbox)
      const countsByKey = await store.listSequences(sandbox)
      const { startupRules, catalogue } = served()
      return { sequences: sequencesToJson(countsByKey, listRulesInOrder(rules, startupRules), catalogue) }
    },
  }
}

const rulesToJson = (rules: readonly Rule[]) => rules.map(({ source }) => source)

function countsToJson(rules: ActiveRules, countsByKey: ReadonlyMap<string, number>) {
  return rules.map((rule) => {
    const applied = countsByKey.get(ruleAppliedKey(rule)) ?? 0
    const { times, skipReason } = rule
    const left = times === undefined ? undefined : Math.max(0, times - (countsByKey.get(ruleTimesKey(rule)) ?? 0))
    return { applied, left, skipReason }
  })
}

const cutMark = '\u2026'

/** Matches an operation ID and a sequence. An ID has a space only if it replaces a missing `operationId` (`GET /a`). */
const operationAndSequence = /^((?:[A-Z]+ \/\S*)|\S+) (.*)$/s

/** Lists the sequences that requests have used, in the order of the store's counts (`countsByKey`). */
function sequencesToJson(countsByKey: ReadonlyMap<string, number>, rules: readonly ScopedRule[], catalogue: Catalogue) {
  const ruleSequences = rules.flatMap(({ rule, scope, index }) =>
    rule.sequence ? [{ prefix: ruleSequencePrefix(rule), sequence: rule.sequence, rule: { scope, index } }] : [],
  )
  return [...countsByKey].flatMap(([key, met]) => {
    const ruleSequence = ruleSequences.find(({ prefix }) => key.startsWith(prefix))
    if (!ruleSequence && !key.startsWith(sequencePrefix)) return []
    const rest = key.slice((ruleSequence?.prefix ?? sequencePrefix).length)
    const [, operation = '', text = ''] = operationAndSequence.exec(rest) ?? []
    const sequence = ruleSequence?.sequence ?? parseStoredSequence(text, catalogue)
    const progress = sequence && progressToJson(sequence, met)
    return { operation, sequence: sequence?.text ?? text, rule: ruleSequence?.rule, met, ...progress }
  })
}

function parseStoredSequence(text: string, catalogue: Catalogue): Sequence | undefined {
  if (text.includes(cutMark)) return undefined // the text was truncated: no header can contain this mark
  const parsed = parseSequence(text, catalogue)
  return parsed.ok ? parsed.value : undefined
}

function progressToJson(sequence: Sequence, met: number) {
  const items = sequence.items.map(({ scenario, times }) => ({ scenario: scenario.text, times }))
  const position = positionAt(sequence, met)
  return { items, position, next: items[position]?.scenario ?? '' }
}
