import scenarioSchema from '../../spec/scenarios.schema.json' with { type: 'json' }
import { isObject } from '../core/json.ts'
import type { Result } from '../core/result.ts'
import type { Finding, Findings } from '../documents/finding.ts'
import { readSource } from '../documents/read-source.ts'
import { type Rule, type RuleContext, readRules } from './rules.ts'

/** Loads a file of rules (YAML or JSON); every finding has its line. */
export async function loadScenarioFile(
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
    return {
      ok: false,
      error: violations.map(({ pointer, message }) => at(pointer, `${pointer || 'the file'} ${message}`)),
    }
  }
  const rules = readRules(source.value, context)
  if (rules.ok) return { ok: true, value: rules.value }
  return { ok: false, error: rules.error.map(({ pointer, message }) => at(pointer, message)) }
}

/** Returns true for a document that has rules and is no contract. */
export function isScenarioFile(value: unknown): boolean {
  return isObject(value) && 'rules' in value && !('openapi' in value)
}
