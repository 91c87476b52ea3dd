import scenarioSchema from '../../spec/scenarios.schema.json' with { type: 'json' }
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { parsePointer } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import { findNearest } from '../core/similar.ts'
import type { Findings } from '../documents/finding.ts'
import { readSource } from '../documents/read-source.ts'
import type { RuleProblem } from './rule-match-problems.ts'
import { type Rule, type RuleContext, readRules } from './rules.ts'

/**
 * Loads the file of `--scenarios` (YAML or JSON). The error has a finding with its line for each fault: what does not fit the schema, and
 * what has no meaning for the contract.
 */
export async function loadRulesFile(
  file: string,
  context: RuleContext,
): Promise<Result<readonly Rule[], Findings>> {
  const read = await readSource(file)
  if (!read.ok) return read
  const source = read.value
  const { value } = source
  if (isContract(value)) return failure([{ severity: 'error', place: file, message: contractMessage }])
  const { compileSchema } = await import('../documents/schema.ts')
  const faults = compileSchema(
    scenarioSchema,
    'scenario file',
  )(value).map(({ pointer, message }) => ({
    pointer,
    message: `${pointer || 'the file'} ${message}`,
  }))
  const sound = withoutFaults(value, faults)
  const rules = readRules({ rules: sound }, context)
  if (rules.ok && faults.length === 0) return success(rules.value)
  const problems = rules.ok ? [] : rules.error.filter((problem) => !isConsequence(problem, sound, faults))
  return failure(
    sortByRule([...addHint(value, faults), ...problems]).map(({ pointer, message }) => ({
      severity: 'error',
      place: source.place(pointer),
      message,
    })),
  )
}

const contractMessage = 'is an OpenAPI document, and no file of scenario rules; give it with --contract'

/** Returns the rules without the fields that do not fit the schema, so that the meaning of the others can be checked. Null stands for an entry of the list that is no object. */
function withoutFaults(document: Json, faults: readonly RuleProblem[]): (JsonObject | null)[] {
  const rules = isObject(document) && Array.isArray(document['rules']) ? document['rules'] : []
  const faulty = new Set(faults.map(({ pointer }) => parsePointer(pointer).slice(0, 3).join('/')))
  return rules.map((rule, index) => {
    if (!isObject(rule)) return null
    const sound = Object.entries(rule).filter(([name]) => !faulty.has(`rules/${index}/${name}`))
    return Object.fromEntries(sound)
  })
}

/** Returns true for a rule that seems to switch nothing on, since its scenario does not fit the schema or has a wrong name. */
function isConsequence(
  { pointer }: RuleProblem,
  sound: readonly (JsonObject | null)[],
  faults: readonly RuleProblem[],
): boolean {
  const [, index, field] = parsePointer(pointer)
  const rule = sound[Number(index)]
  if (field !== 'scenario' || !rule || 'scenario' in rule) return false
  return faults.some((fault) => parsePointer(fault.pointer)[1] === index)
}

/** Sorts problems as the rules stand in the file; those of one rule keep their order. */
function sortByRule(problems: readonly RuleProblem[]): RuleProblem[] {
  const indexOf = ({ pointer }: RuleProblem) => Number(parsePointer(pointer)[1] ?? -1)
  return [...problems].sort((one, other) => indexOf(one) - indexOf(other))
}

/** Adds to the fault of a bare list what it lacks. */
function addHint(document: Json, faults: readonly RuleProblem[]): readonly RuleProblem[] {
  if (!Array.isArray(document)) return faults
  return [{ pointer: '', message: 'the file is a list. Write "rules:" above it, and indent the list.' }]
}

/**
 * Returns true for a document that was meant as a file of rules: an object with a member `rules` or of a similar name (`rule`), a single rule,
 * or a list of rules.
 */
export function isRulesFile(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isRule)
  if (!isObject(value) || isContract(value)) return false
  return isRule(value) || Object.keys(value).some((name) => findNearest(name, ['rules']) !== undefined)
}

/** Returns true for a rule. Keys and models of the fixtures have a scenario, too, beside a token or an id. */
function isRule(value: Json): boolean {
  return (
    isObject(value) && ('scenario' in value || 'sequence' in value) && !('token' in value || 'id' in value)
  )
}

/** Returns true for a document that was meant as a contract. */
export function isContract(value: Json): boolean {
  return isObject(value) && ['openapi', 'swagger', 'paths'].some((name) => name in value)
}
