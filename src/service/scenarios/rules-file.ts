import scenarioSchema from '../../../spec/scenarios.schema.json' with { type: 'json' }
import { type Flaw, isObject, type Json, type JsonObject, type Violation } from '../../base/core/json.ts'
import { parsePointer, valueAtTokens } from '../../base/core/json-pointer.ts'
import { failure, type Result } from '../../base/core/result.ts'
import { findNearest } from '../../base/core/text.ts'
import { loadSchema } from '../../base/documents/load-schema.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { errorAt, type Findings } from '../../base/documents/source.ts'
import { type Rule, type RuleContext, readRules } from './rules.ts'

/** Loads the `--rules` file. Findings about invalid values include line numbers. */
export async function loadRulesFile(file: string, context: RuleContext): Promise<Result<readonly Rule[], Findings>> {
  const read = await readSource(file)
  if (!read.ok) return read
  const source = read.value
  const { value } = source
  if (isContract(value)) return failure([errorAt(file, contractMessage)])
  const check = await loadSchema({ name: 'scenario file', schema: scenarioSchema })
  const flaws = check(value).map((violation) => describeFlaw(violation, value))
  const rules = flaws.length > 0 ? failure(flaws) : readRules((value as { rules: JsonObject[] }).rules, context)
  if (rules.ok) return rules
  return failure(rules.error.map(({ pointer, message }) => errorAt(source.locate(pointer), message)))
}

const contractMessage = 'is an OpenAPI document, not a file of scenario rules; pass it with --contract'

/** Returns true if a value may be a rules file: a rule, a list of rules, or an object with a key similar to `rules`. */
export function isRulesFile(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isRule)
  if (!isObject(value) || isContract(value)) return false
  return isRule(value) || Object.keys(value).some((name) => findNearest(name, ['rules']) !== undefined)
}

/** Fixtures (keys and models) can also have a scenario, but unlike rules, they have a token or an ID. */
function isRule(value: Json): boolean {
  return isObject(value) && ('scenario' in value || 'sequence' in value) && !('token' in value || 'id' in value)
}

export function isContract(value: Json): boolean {
  return isObject(value) && ['openapi', 'swagger', 'paths'].some((name) => name in value)
}

/** Describes a schema violation. If a status was parsed as a number, the description includes the remedy. */
function describeFlaw({ pointer, message }: Violation, document: Json): Flaw {
  const tokens = parsePointer(pointer)
  const value = valueAtTokens(document, tokens)
  const isTextMember = tokens.length === 3 && ['scenario', 'sequence'].includes(tokens[2] ?? '')
  const remedy = isTextMember && typeof value === 'number' ? `; write "${value}", in quotes` : ''
  return { pointer, message: `${pointer || 'the file'} ${message}${remedy}` }
}
