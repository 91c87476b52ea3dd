import scenarioSchema from '../../../spec/scenarios.schema.json' with { type: 'json' }
import { isObject, type Json } from '../../base/core/json.ts'
import { failure, type Result } from '../../base/core/result.ts'
import { findNearest } from '../../base/core/similar.ts'
import type { Violation } from '../../base/core/violation.ts'
import { errorAt, type Findings } from '../../base/documents/finding.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { checkRules } from './check-rules.ts'
import type { Rule, RuleContext } from './rules.ts'

/** Loads the file of `--rules`. The error has a finding with its line for each faulty value. */
export async function loadRulesFile(file: string, context: RuleContext): Promise<Result<readonly Rule[], Findings>> {
  const read = await readSource(file)
  if (!read.ok) return read
  const source = read.value
  const { value } = source
  if (isContract(value)) return failure([errorAt(file, contractMessage)])
  const { compileSchema } = await import('../../base/documents/schema.ts')
  const violations = compileSchema(scenarioSchema, 'scenario file')(value)
  const describe = ({ pointer, message }: Violation) =>
    pointer === '' && Array.isArray(value) ? bareListMessage : `${pointer || 'the file'} ${message}`
  const rules = checkRules(value, violations, context, describe)
  if (rules.ok) return rules
  return failure(rules.error.map(({ pointer, message }) => errorAt(source.place(pointer), message)))
}

const bareListMessage = 'the file is a list. Write "rules:" above it, and indent the list.'

const contractMessage = 'is an OpenAPI document, and no file of scenario rules; give it with --contract'

/** Returns true for what looks like a file of rules: with a member such as `rules`, a rule, or a list of rules. */
export function isRulesFile(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isRule)
  if (!isObject(value) || isContract(value)) return false
  return isRule(value) || Object.keys(value).some((name) => findNearest(name, ['rules']) !== undefined)
}

/** Returns true for a rule. Keys and models of the fixtures have a scenario, too, beside a token or an id. */
function isRule(value: Json): boolean {
  return isObject(value) && ('scenario' in value || 'sequence' in value) && !('token' in value || 'id' in value)
}

export function isContract(value: Json): boolean {
  return isObject(value) && ['openapi', 'swagger', 'paths'].some((name) => name in value)
}
