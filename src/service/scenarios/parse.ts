import { failure, type Result, success } from '../../base/core/result.ts'
import { cutText, describeKnown, endSentence } from '../../base/core/text.ts'
import { type ActiveScenario, type Catalogue, type Effect, effectOf, isGateway, probability } from './definition.ts'
import { maxControlLength, numberOf, readValues } from './parameters.ts'
import { splitPair, splitParts } from './split-text.ts'

interface SequenceItem {
  readonly scenario: ActiveScenario
  readonly times: number
}

/** A sequence of scenarios. With `429*2, 200`, the first two requests get 429, and all later requests get 200. */
export interface Sequence {
  readonly items: readonly SequenceItem[]
  /** The text as sent. For each sandbox and operation, `X-Sim-Sequence` headers with this text share a count. */
  readonly text: string
}

/** Parses comma-separated items. Blank text yields an empty list. */
function parseList<Item>(kind: string, text: string, parse: (item: string) => Result<Item>): Result<Item[]> {
  if (text.length > maxControlLength) return failure(`A ${kind} must be at most ${maxControlLength} characters long.`)
  const parts = splitParts(text, ',')
  if (!parts.ok) return parts
  const items: Item[] = []
  for (const part of parts.value) {
    const item = parse(part)
    if (!item.ok) return item
    items.push(item.value)
  }
  return success(items)
}

/** Parses a list of scenarios, such as `slow;ms=200, rate-limited;retry-after="3"`. */
export function parseScenarios(text: string, catalogue: Catalogue): Result<ActiveScenario[]> {
  const scenarios = parseList('list of scenarios', text, (item) => {
    const parsed = parseScenario(item, catalogue)
    return parsed.ok || !isSequenceItem(item, catalogue) ? parsed : failure(describeMisplaced(item))
  })
  const conflict = scenarios.ok ? findConflict(scenarios.value) : undefined
  return conflict === undefined ? scenarios : failure(conflict)
}

/** Returns true for an item that is valid only in a sequence: a scenario with a count, such as `429*2`. */
function isSequenceItem(text: string, catalogue: Catalogue): boolean {
  const [name = ''] = text.split(/[;*]/)
  return /[^/]\*[^*/"]*$/.test(text) && catalogue.find(name.trim()) !== undefined
}

const describeMisplaced = (item: string) =>
  `"${cutText(item)}" is an item of a sequence, but scenarios are expected here. ` +
  'Send a sequence in X-Sim-Sequence, or set it as "sequence" in a rule (--rules FILE, PUT /__sim/scenarios).'

/** The prefix of the store keys for `X-Sim-Sequence` sequences; no other keys start with it. */
export const sequencePrefix = 'sequence '

export function parseSequence(text: string, catalogue: Catalogue): Result<Sequence> {
  const items = parseList('sequence', text, (item) => parseItem(item, catalogue))
  if (!items.ok) return items
  if (items.value.length === 0) return failure('A sequence needs at least one item, e.g. "429*2, 200".')
  return success({ items: items.value, text })
}

/** Parses an item: `429 * 2`. The default count is 1. An asterisk anywhere before `/` or `"` is part of a pointer. */
function parseItem(text: string, catalogue: Catalogue): Result<SequenceItem> {
  const at = text.search(/\*[^*/"]*$/)
  const count = at < 0 ? '1' : text.slice(at + 1).trim()
  const scenario = at < 0 ? text : text.slice(0, at).trimEnd()
  const hasScenarioForm = /^[a-z\d][\w-]*(\s*;|$)/i.test(scenario)
  if (!hasScenarioForm || !/^[1-9]\d{0,5}$/.test(count))
    return failure(`"${cutText(text)}" is not an item of a sequence. ${itemForm}`)
  const parsed = parseScenario(scenario, catalogue)
  return parsed.ok ? success({ scenario: parsed.value, times: Number(count) }) : parsed
}

const itemForm =
  'An item is a scenario with its parameters, optionally followed by "*" and a count from 1 to 999999. ' +
  'Commas separate items: "429;retry-after=1*2, 200".'

/** Returns the position of the item for request `index`. Both numbers start at 0: `429*2, 200` yields 0, 0, 1, 1... */
export function positionAt({ items }: Sequence, index: number): number {
  let end = 0
  const position = items.findIndex(({ times }) => {
    end += times
    return index < end
  })
  return position < 0 ? items.length - 1 : position
}

export function itemAt(sequence: Sequence, index: number): ActiveScenario {
  const item = sequence.items[positionAt(sequence, index)]
  if (!item) throw new Error('the sequence has no items')
  return item.scenario
}

/** The aspect of an exchange that each kind of effect determines. Two effects must not determine the same aspect. */
const decidedAspect = {
  ordinary: 'response',
  response: 'response',
  gateway: 'response',
  'sample-out': 'response',
  data: 'numbers',
  delay: 'delay',
  deliver: 'delivery',
  'lose-ack': 'delivery',
  expect: 'expectation',
  drift: 'drift',
} as const satisfies Record<Effect['kind'], string>

/** Describes two scenarios that cannot both act on one response. Returns undefined if there is no conflict. */
export function findConflict(scenarios: readonly ActiveScenario[]): string | undefined {
  if (scenarios.length < 2) return undefined
  const decided = new Map<string, ActiveScenario>()
  for (const active of scenarios) {
    const effect = effectOf(active)
    // Nulls can be combined with another scenario's numbers.
    if (effect.kind === 'data' && effect.overrides.nulls) continue
    const aspect = aspectOf(effect)
    const other = decided.get(aspect)
    if (other) return formatConflict(other, active)
    decided.set(aspect, active)
  }
  const isResponding = (active: ActiveScenario) => effectOf(active).kind === 'response' || isGateway(active)
  const responding = scenarios.find((active) => isResponding(active) && numberOf(active.values, probability.name) === 1)
  const ineffectiveKinds = ['data', 'lose-ack', ...(responding && isGateway(responding) ? ['drift'] : [])]
  const ineffective = scenarios.find((active) => ineffectiveKinds.includes(effectOf(active).kind))
  return responding && ineffective && formatConflict(responding, ineffective)
}

function aspectOf(effect: Effect): string {
  return effect.kind === 'data' && effect.overrides.extreme ? 'extreme values' : decidedAspect[effect.kind]
}

const formatConflict = (one: ActiveScenario, other: ActiveScenario) =>
  `"${one.text}" and "${other.text}" cannot both act on one response.`

function parseScenario(text: string, catalogue: Catalogue): Result<ActiveScenario> {
  const parts = splitParts(text, ';')
  if (!parts.ok) return parts
  const [name = '', ...rest] = parts.value
  const definition = catalogue.find(name)
  if (!definition) return failure(describeUnknownScenario(name, catalogue))
  const sent = new Map<string, string>()
  for (const part of rest) {
    const parameter = splitPair(part)
    if (!part.includes('=') || parameter.name === '')
      return failure(
        `The parameter "${cutText(part)}" of the scenario "${name}" must have the form name=value. ` +
          'To start another scenario, use a comma.',
      )
    if (sent.has(parameter.name))
      return failure(`The scenario "${name}" has the parameter "${cutText(parameter.name)}" twice.`)
    sent.set(parameter.name, parameter.value)
  }
  const read = readValues([...definition.parameters, probability], sent)
  if (!read.ok) return failure(endSentence(`The scenario "${definition.name}" ${read.error}`))
  const problem = definition.problem?.(read.value)
  if (problem !== undefined) return failure(endSentence(`The scenario "${definition.name}" is not valid: ${problem}`))
  return success({ definition, values: read.value, text })
}

function describeUnknownScenario(name: string, { definitions, statuses }: Catalogue): string {
  const unknown = `Unknown scenario "${cutText(name)}".`
  if (/^\d+$/.test(name))
    return `${unknown} Documented statuses: ${statuses.map((one) => one.name).join(', ')}; any 4xx or 5xx status works.`
  const names = definitions.map((definition) => definition.name)
  const seeFullList = 'For the full list, run "convsim scenarios" or call GET /__sim/catalogue.'
  return `${unknown} ${describeKnown(name, names, seeFullList)}`
}
