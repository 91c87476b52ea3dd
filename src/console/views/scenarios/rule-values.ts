import type { Schema } from '../../api/answers.ts'
import { formatScenario, readScenario } from './describe-rule.ts'
import { freeTexts, type Offer } from './offer.ts'

/** The parts of a request that a rule can compare, in the order of the form. */
export const places = ['model', 'product', 'method', 'path', 'query', 'header', 'body'] as const

/** A part of a request: `header`. */
export type Place = (typeof places)[number]

/** A condition as the form holds it. */
export interface RuleCondition {
  readonly place: Place
  /** The name of the header or parameter, or the pointer into the body; empty for the whole body and for others. */
  readonly name: string
  /** The text of the field: for the body JSON, or a text that is none. */
  readonly value: string
  /** Is true if the header or parameter must not be sent. */
  readonly isAbsent: boolean
}

/** The content of a rule's form. */
export interface RuleValues {
  /** The texts of the fields by name, those of parameters with `parameter ` before it; absent: empty. */
  readonly texts: Readonly<Record<string, string>>
  readonly conditions: readonly RuleCondition[]
}

/** Returns true for the places that have many members: `header`, `query` and `body`. */
export const isNamed = (place: Place): place is 'query' | 'header' | 'body' =>
  ['query', 'header', 'body'].includes(place)

/** Returns the offer whose form shows a rule: a text where the rule says more than the form of its scenario. */
export function offerOf(rule: Schema<'Rule'>, offers: readonly Offer[]): Offer {
  const { name, parameters } = readScenario(rule.scenario ?? '')
  const offer = offers.find((one) => one.name === name)
  const isWhole =
    formatScenario(name, parameters) === rule.scenario &&
    parameters.every(([parameter]) => offer?.parameters.some((one) => one.name === parameter))
  const [sequence, combination] = freeTexts
  return rule.sequence !== undefined ? sequence : offer && isWhole ? offer : combination
}

/** Returns the content of the form that shows a rule. */
export function readRule(rule: Schema<'Rule'>): RuleValues {
  const { operation = '', scenario = '', sequence, times = '', probability = '', match = {} } = rule
  const parameters = readScenario(scenario).parameters.map(([name, value]) => [`parameter ${name}`, value])
  return {
    texts: {
      operation,
      text: sequence ?? scenario,
      times: String(times),
      probability: String(probability),
      ...Object.fromEntries(parameters),
    },
    conditions: places.flatMap((place): RuleCondition[] => {
      const members = isNamed(place) ? Object.entries(match[place] ?? {}) : [['', match[place]] as const]
      return members
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ({
          place,
          name,
          value: place === 'body' ? formatJson(value) : String(value ?? ''),
          isAbsent: place !== 'body' && value === null,
        }))
    }),
  }
}

/** Returns the rule that a form describes. `before`: the rule that it changes, which stays switched on or off. */
export function toRule(before: Schema<'Rule'>, offer: Offer, { texts, conditions }: RuleValues): Schema<'Rule'> {
  const { operation, text = '', times, probability } = texts
  const { enabled } = before
  const parameters = offer.parameters.map(({ name }) => [name, texts[`parameter ${name}`] ?? ''] as const)
  return {
    ...(operation && { operation }),
    ...(conditions.length > 0 && { match: toMatch(conditions) }),
    [offer.freeText ?? 'scenario']: offer.freeText ? text : formatScenario(offer.name, parameters),
    ...(times && { times: Number(times) }),
    ...(probability && { probability: Number(probability) }),
    ...(enabled !== undefined && { enabled }),
  }
}

function toMatch(conditions: readonly RuleCondition[]): Schema<'Match'> {
  const match: Record<string, unknown> = {}
  for (const { place, name, value, isAbsent } of conditions) {
    const member = isAbsent ? null : place === 'body' ? parseJson(value) : value
    match[place] = isNamed(place) ? { ...(match[place] as object), [name]: member } : value.trim()
  }
  return match
}

/** Parses JSON; any other text stands for itself, so that texts need no quotes. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const formatJson = (value: unknown) =>
  typeof value === 'string' && parseJson(value) === value ? value : JSON.stringify(value)
