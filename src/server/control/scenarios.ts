import type { JsonObject } from '../../base/core/json.ts'
import { endSentence } from '../../base/core/text.ts'
import type { Catalogue } from '../../service/scenarios/definition.ts'
import { parseSequence, positionAt, type Sequence, sequencePrefix } from '../../service/scenarios/parse.ts'
import {
  type ActiveRules,
  maxRules,
  type PlacedRule,
  placeRules,
  type Rule,
  readRules,
  ruleActedKey,
  ruleSequencePrefix,
  ruleTimesKey,
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
      const used = await store.listSequences(sandbox)
      const { startUp } = served()
      const counts = { rules: countsToJson(rules, used), startUp: countsToJson(startUp, used) }
      return { rules: rulesToJson(rules), startUp: rulesToJson(startUp), counts }
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
      const error = `A sandbox has at most ${maxRules} rules. Remove some, or replace all (PUT scenarios).`
      return rules ? { rules: rulesToJson(rules) } : new ControlError(400, error)
    },
    deleteScenarios: (request) => replaceRules(request, []),
    async getSequences({ sandbox }) {
      const { rules } = await sandboxes.settings.read(sandbox)
      const used = await store.listSequences(sandbox)
      const { startUp, catalogue } = served()
      return { sequences: sequencesToJson(used, placeRules(rules, startUp), catalogue) }
    },
  }
}

const rulesToJson = (rules: readonly Rule[]) => rules.map(({ source }) => source)

/** Returns the counts of the rules, in their order. `used`: the store's counts by key. */
function countsToJson(rules: ActiveRules, used: ReadonlyMap<string, number>) {
  return rules.map((rule) => {
    const acted = used.get(ruleActedKey(rule)) ?? 0
    const { times, misfit } = rule
    const left = times === undefined ? undefined : Math.max(0, times - (used.get(ruleTimesKey(rule)) ?? 0))
    return { acted, left, misfit }
  })
}

const cutMark = '\u2026'

/** An operation and a sequence in a key. Only the id of an operation without `operationId` has a space: `GET /a`. */
const operationAndSequence = /^((?:[A-Z]+ \/\S*)|\S+) (.*)$/s

/** Lists the sequences that requests have used, latest first. `used`: the store's counts by key. */
function sequencesToJson(used: ReadonlyMap<string, number>, rules: readonly PlacedRule[], catalogue: Catalogue) {
  const ofRules = rules.flatMap(({ rule, scope, index }) =>
    rule.sequence ? [{ prefix: ruleSequencePrefix(rule), sequence: rule.sequence, rule: { scope, index } }] : [],
  )
  return [...used].flatMap(([key, met]) => {
    const ofRule = ofRules.find(({ prefix }) => key.startsWith(prefix))
    if (!ofRule && !key.startsWith(sequencePrefix)) return []
    const rest = key.slice((ofRule?.prefix ?? sequencePrefix).length)
    const [, operation = '', text = ''] = operationAndSequence.exec(rest) ?? []
    const sequence = ofRule?.sequence ?? parseStoredSequence(text, catalogue)
    const progress = sequence && progressToJson(sequence, met)
    return { operation, sequence: sequence?.text ?? text, rule: ofRule?.rule, met, ...progress }
  })
}

function parseStoredSequence(text: string, catalogue: Catalogue): Sequence | undefined {
  if (text.includes(cutMark)) return undefined // a header cannot contain the mark
  const parsed = parseSequence(text, catalogue)
  return parsed.ok ? parsed.value : undefined
}

function progressToJson(sequence: Sequence, met: number) {
  const items = sequence.items.map(({ scenario, times }) => ({ scenario: scenario.text, times }))
  const position = positionAt(sequence, met)
  return { items, position, next: items[position]?.scenario ?? '' }
}
