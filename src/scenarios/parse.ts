import { failure, type Result, success } from '../core/result.ts'
import {
  type ActiveScenario,
  type Catalogue,
  type Effect,
  probability,
  type ScenarioDefinition,
} from './definition.ts'
import { maxControlLength, numberOf, readValues } from './parameters.ts'

/** An item of a sequence: `429*2` is one item for two requests. */
export interface SequenceItem {
  readonly scenario: ActiveScenario
  readonly times: number
}

/** A sequence such as `429*2, 200`: two requests get the first item, and all later ones the last item. */
export interface Sequence {
  readonly items: readonly SequenceItem[]
  /** The text of the sequence. In one sandbox and operation, sequences of the same text share one count. */
  readonly text: string
}

/**
 * Parses `slow;ms=200, rate-limited;retry-after="3"`: commas separate scenarios, semicolons parameters; both may stand in quotes. Empty
 * text is an empty list.
 */
export function parseScenarios(text: string, catalogue: Catalogue): Result<ActiveScenario[]> {
  if (text.length > maxControlLength)
    return failure(`A scenario's text is at most ${maxControlLength} characters long.`)
  const scenarios: ActiveScenario[] = []
  for (const item of splitOutsideQuotes(text, ',')) {
    const parsed = parseScenario(item, catalogue)
    if (!parsed.ok) return parsed
    scenarios.push(parsed.value)
  }
  const conflict = findConflict(scenarios)
  return conflict === undefined ? success(scenarios) : failure(conflict)
}

/** The prefix of the store's keys for the sequences of `X-Sim-Sequence`; no other count has it. */
export const sequencePrefix = 'sequence '

/** Parses `429;retry-after=1*2, 200`. */
export function parseSequence(text: string, catalogue: Catalogue): Result<Sequence> {
  if (text.length > maxControlLength)
    return failure(`A sequence's text is at most ${maxControlLength} characters long.`)
  const items: SequenceItem[] = []
  for (const item of splitOutsideQuotes(text, ',')) {
    const { scenario, times } = splitCount(item)
    const parsed = parseScenario(scenario, catalogue)
    if (!parsed.ok) return parsed
    if (times === 0) return failure(`"${item}" of the sequence is never met; leave it out.`)
    items.push({ scenario: parsed.value, times })
  }
  return items.length > 0
    ? success({ items, text })
    : failure('A sequence has at least one item, e.g. "429*2, 200".')
}

/** Splits `429 * 2` into the scenario and its count, which is 1 where the text has none. */
function splitCount(item: string): { readonly scenario: string; readonly times: number } {
  const at = item.lastIndexOf('*')
  const count = item.slice(at + 1).trim()
  return at >= 0 && /^\d{1,6}$/.test(count)
    ? { scenario: item.slice(0, at).trimEnd(), times: Number(count) }
    : { scenario: item, times: 1 }
}

/** Returns the position of a sequence's item for the request at an index, both from 0: for `429*2, 200` it is 0 at 0 and 1, then 1. */
export function positionAt({ items }: Sequence, index: number): number {
  let end = 0
  const position = items.findIndex(({ times }) => {
    end += times
    return index < end
  })
  return position < 0 ? items.length - 1 : position
}

/** Returns the scenario of a sequence for the request at an index, from 0: for `429*2, 200` the 429 at 0 and 1, then the 200. */
export function itemAt(sequence: Sequence, index: number): ActiveScenario {
  const item = sequence.items[positionAt(sequence, index)]
  if (!item) throw new Error('a sequence without items was let through')
  return item.scenario
}

/** The aspect of a reply that each kind of effect decides; two effects must not decide the same aspect. */
const decidedAspect = {
  ordinary: 'answer',
  answer: 'answer',
  data: 'figures',
  delay: 'delay',
  deliver: 'delivery',
  'lose-ack': 'delivery',
  expect: 'expectation',
  drift: 'drift',
} as const satisfies Record<Effect['kind'], string>

/**
 * Returns a sentence about two scenarios that cannot both act on one reply, undefined for none: they decide the same aspect, or the
 * first replies instead of the operation that the second needs.
 */
export function findConflict(scenarios: readonly ActiveScenario[]): string | undefined {
  if (scenarios.length < 2) return undefined
  const decided = new Map<string, ActiveScenario>()
  for (const active of scenarios) {
    const effect = effectOf(active)
    // Nulls are set on the figures that another scenario decides.
    if (effect.kind === 'data' && effect.overrides.nulls) continue
    const other = decided.get(decidedAspect[effect.kind])
    if (other) return formatConflict(other, active)
    decided.set(decidedAspect[effect.kind], active)
  }
  const answering = scenarios.find((active) => effectOf(active).kind === 'answer' && isCertain(active))
  const ineffective = scenarios.find((active) => ['data', 'lose-ack'].includes(effectOf(active).kind))
  return answering && ineffective && formatConflict(answering, ineffective)
}

const effectOf = ({ definition, values }: ActiveScenario) => definition.effect(values)

const isCertain = ({ values }: ActiveScenario) => numberOf(values, probability.name) === 1

const formatConflict = (one: ActiveScenario, other: ActiveScenario) =>
  `"${one.text}" and "${other.text}" cannot both act on one answer.`

function parseScenario(text: string, catalogue: Catalogue): Result<ActiveScenario> {
  const [name = '', ...rest] = splitOutsideQuotes(text, ';')
  const definition = catalogue.find(name)
  if (!definition) return failure(`There is no scenario "${name}". Known: ${listNames(catalogue)}.`)
  const sent = new Map<string, string>()
  for (const part of rest) {
    const parameter = splitPair(part)
    if (!part.includes('=') || parameter.name === '')
      return failure(`The parameter "${part}" of "${name}" is not written as name=value.`)
    sent.set(parameter.name, parameter.value)
  }
  return activate(definition, sent, text)
}

function activate(
  definition: ScenarioDefinition,
  sent: ReadonlyMap<string, string>,
  text: string,
): Result<ActiveScenario> {
  const read = readValues([...definition.parameters, probability], sent)
  if (!read.ok) return failure(`The scenario "${definition.name}" ${read.error}.`)
  const problem = definition.problem?.(read.value)
  if (problem !== undefined) return failure(`The scenario "${definition.name}": ${problem}.`)
  return success({ definition, values: read.value, text })
}

function listNames(catalogue: Catalogue): string {
  return catalogue.definitions.map(({ name }) => name).join(', ')
}

/** Splits a text at separators outside double quotes; parts are trimmed, and empty parts left out. */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  if (text === '') return []
  const parts: string[] = ['']
  let quoted = false
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (character === separator && !quoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** Splits `name = "value"` at the first equals sign; quotes around the value are removed. The value is empty where there is no sign. */
export function splitPair(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=')
  return at < 0
    ? { name: text.trim(), value: '' }
    : { name: text.slice(0, at).trim(), value: unquote(text.slice(at + 1).trim()) }
}

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}
