import scenarioSchema from '../../../spec/scenarios.schema.json' with { type: 'json' }
import { isObject, type Json } from '../../base/core/json.ts'
import { joinPointer, parsePointer, replaceAt, valueAtTokens } from '../../base/core/json-pointer.ts'
import { failure, type Result } from '../../base/core/result.ts'
import { findNearest } from '../../base/core/similar.ts'
import type { Flaw, Violation } from '../../base/core/violation.ts'
import { errorAt, type Findings } from '../../base/documents/finding.ts'
import { loadSchema } from '../../base/documents/load-schema.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { type Rule, type RuleContext, readRules } from './rules.ts'

/** Loads the file of `--rules`. The error has a finding with its line for each faulty value. */
export async function loadRulesFile(file: string, context: RuleContext): Promise<Result<readonly Rule[], Findings>> {
  const read = await readSource(file)
  if (!read.ok) return read
  const source = read.value
  const { value } = source
  if (isContract(value)) return failure([errorAt(file, contractMessage)])
  const check = await loadSchema({ name: 'scenario file', schema: scenarioSchema })
  const violations = check(value)
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

/**
 * Checks `{rules: [...]}` for names that do not exist and rules that make no sense. The error has these problems and
 * the schema's `violations` in the order of the document. `describe` words a violation; default: its message.
 */
export function checkRules(
  document: Json | undefined,
  violations: readonly Violation[],
  context: RuleContext,
  describe = ({ message }: Violation) => message,
): Result<readonly Rule[], readonly Flaw[]> {
  const faults = violations.map((violation) => ({
    pointer: violation.pointer,
    message: `${describe(violation)}${describeQuotes(document, violation.pointer)}`,
  }))
  // Later parts were not checked by the schema, so their types are unknown.
  if (violations.some(({ keyword }) => keyword === 'more')) return failure(faults)
  const sound = withoutFaults(document ?? null, faults)
  const rules = readRules(isObject(sound) && Array.isArray(sound['rules']) ? sound['rules'] : [], context)
  if (rules.ok && faults.length === 0) return rules
  const problems = rules.ok ? [] : rules.error.filter((problem) => !isConsequence(problem, sound, faults))
  return failure(sortByPosition(document ?? null, [...faults, ...problems]))
}

/** Returns the document without the values that break the schema, and null for a faulty rule, to check the rest. */
function withoutFaults(document: Json, faults: readonly Flaw[]): Json {
  return faults.reduce<Json>((sound, { pointer }) => {
    // Of a pointer that was cut the condition is known, but not the member.
    const tokens = parsePointer(pointer).slice(0, pointer.endsWith('…') ? 3 : undefined)
    return replaceAt(sound, tokens, tokens.length === 2 ? null : undefined) ?? null
  }, document)
}

/** Returns true for a rule that switches nothing on only because its scenario breaks the schema or has a wrong name. */
function isConsequence({ pointer }: Flaw, sound: Json, faults: readonly Flaw[]): boolean {
  const tokens = parsePointer(pointer)
  const [, index, field] = tokens
  if (field !== 'scenario' || valueAtTokens(sound, tokens) !== undefined) return false
  return faults.some((fault) => parsePointer(fault.pointer)[1] === index)
}

/** Returns the remedy for a status that YAML reads as a number: `; write "429" in quotes`; empty for anything else. */
function describeQuotes(document: Json | undefined, pointer: string): string {
  const tokens = parsePointer(pointer)
  const value = valueAtTokens(document, tokens)
  const isText = tokens.length === 3 && ['scenario', 'sequence'].includes(tokens[2] ?? '')
  return isText && typeof value === 'number' ? `; write "${value}", in quotes` : ''
}

/** Sorts problems in the order of their values in the document. A missing value is where its object begins. */
function sortByPosition(document: Json, problems: readonly Flaw[]): Flaw[] {
  const order = new Map(Array.from(listPointers(document), (pointer, index) => [pointer, index]))
  const positionOf = (pointer: string): number =>
    order.get(pointer) ?? positionOf(pointer.slice(0, pointer.lastIndexOf('/')))
  return problems.toSorted((one, other) => positionOf(one.pointer) - positionOf(other.pointer))
}

function* listPointers(value: Json, pointer = ''): Generator<string> {
  yield pointer
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) yield* listPointers(inner, joinPointer(pointer, name))
}
