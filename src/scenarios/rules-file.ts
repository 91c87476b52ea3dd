import scenarioSchema from '../../spec/scenarios.schema.json' with { type: 'json' }
import { isObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Finding, Findings } from '../documents/finding.ts'
import { readSource } from '../documents/read-source.ts'
import { type Rule, type RuleContext, readRules } from './rules.ts'

/** Loads the file of `--scenarios` (YAML or JSON). The error has a finding with its line for each fault. */
export async function loadRulesFile(
  file: string,
  context: RuleContext,
): Promise<Result<readonly Rule[], Findings>> {
  const read = await readSource(file)
  if (!read.ok) return read
  const source = read.value
  const at = (pointer: string, message: string): Finding => ({
    severity: 'error',
    place: source.place(pointer),
    message,
  })
  const { compileSchema } = await import('../documents/schema.ts')
  const violations = compileSchema(scenarioSchema, 'scenario file')(source.value)
  if (violations.length > 0 || !isObject(source.value)) {
    return failure(
      violations.map(({ pointer, message }) => at(pointer, `${pointer || 'the file'} ${message}`)),
    )
  }
  const rules = readRules(source.value, context)
  if (rules.ok) return success(rules.value)
  return failure(rules.error.map(({ pointer, message }) => at(pointer, message)))
}

/** Returns true for a document that has rules and is no contract. */
export function isRulesFile(value: unknown): boolean {
  return isObject(value) && 'rules' in value && !('openapi' in value)
}
