import type { AnswerOf, Schema } from '../../api/answers.ts'
import { formatScenario, readScenario } from './describe-rule.ts'
import { freeTexts, type Offer } from './offer.ts'

/** The parts of a request that a rule can compare, in the order of the form. */
export const places = ['model', 'product', 'method', 'path', 'query', 'header', 'body'] as const

/** A part of a request: `header`. */
export type Place = (typeof places)[number]

/** A condition as the form holds it. */
export interface RuleCondition {
  readonly place: Place
  /** The name of the header or parameter, or the pointer into the body; empty for the other places, and for the whole body. */
  readonly name: string
  /** The text of the field: for the body JSON, or a text that is none. */
  readonly value: string
  /** True: the header or parameter must not be sent. */
  readonly isAbsent: boolean
}

/** The content of a rule's form. */
export interface RuleValues {
  /** The texts of the fields by name; absent: empty. */
  readonly texts: Readonly<Record<string, string>>
  readonly conditions: readonly RuleCondition[]
}

/** Parameters stand apart from the other fields of the form, which may have the same names. */
export const parameterKey = (name: string) => `parameter ${name}`

/** Returns true for the places that have many members: `header`, `query` and `body`. */
export const isNamed = (place: Place): place is 'query' | 'header' | 'body' =>
  ['query', 'header', 'body'].includes(place)

/** Returns the offer whose form shows a rule: that of its scenario, or that of a text where the rule has more than one scenario. */
export function offerOf(rule: Schema<'Rule'>, { scenarios }: AnswerOf<'/catalogue', 'get'>): Offer {
  const { name, parameters } = readScenario(rule.scenario ?? '')
  const offer = scenarios.find((one) => one.name === name)
  const isWhole =
    formatScenario(name, parameters) === rule.scenario &&
    parameters.every(([parameter]) => offer?.parameters.some((one) => one.name === parameter))
  const [sequence, combination] = freeTexts
  return rule.sequence !== undefined ? sequence : offer && isWhole ? offer : combination
}

/** Returns the content of the form that shows a rule. */
export function readRule(rule: Schema<'Rule'>): RuleValues {
  const { operation = '', scenario = '', sequence, times, probability } = rule
  const { parameters } = readScenario(scenario)
  return {
    texts: {
      operation,
      text: sequence ?? scenario,
      times: times === undefined ? '' : String(times),
      probability: probability === undefined ? '' : String(probability),
      ...Object.fromEntries(parameters.map(([name, value]) => [parameterKey(name), value])),
    },
    conditions: readConditions(rule.match ?? {}),
  }
}

function readConditions(match: Schema<'Match'>): RuleCondition[] {
  return places.flatMap((place): RuleCondition[] => {
    if (!isNamed(place)) {
      const value = match[place]
      return value === undefined ? [] : [{ place, name: '', value, isAbsent: false }]
    }
    return Object.entries(match[place] ?? {}).map(([name, value]) => ({
      place,
      name,
      value: place === 'body' ? formatJson(value) : String(value ?? ''),
      isAbsent: place !== 'body' && value === null,
    }))
  })
}

/** The members of a rule that the form decides. */
const formMembers = ['operation', 'match', 'scenario', 'sequence', 'times', 'probability']

/** Returns the rule that a form describes. `before`: the rule that it changes; what the form does not show stays as it is there. */
export function toRule(before: Schema<'Rule'>, offer: Offer, { texts, conditions }: RuleValues): Schema<'Rule'> {
  const { operation, text = '', times, probability } = texts
  const parameters = offer.parameters.map(({ name }) => [name, texts[parameterKey(name)] ?? ''] as const)
  const match = { ...without(before.match ?? {}, places), ...toMatch(conditions) }
  return {
    ...(operation && { operation }),
    ...(Object.keys(match).length > 0 && { match }),
    [offer.freeText ?? 'scenario']: offer.freeText ? text : formatScenario(offer.name, parameters),
    ...(times && { times: Number(times) }),
    ...(probability && { probability: Number(probability) }),
    ...without(before, formMembers),
  }
}

const without = (value: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

function toMatch(conditions: readonly RuleCondition[]): Schema<'Match'> {
  const members = places.flatMap((place): [Place, unknown][] => {
    const own = conditions.filter((condition) => condition.place === place)
    if (own.length === 0) return []
    if (!isNamed(place)) return [[place, own[0]?.value.trim()]]
    return [[place, Object.fromEntries(own.map((condition) => [condition.name, toJson(condition)]))]]
  })
  return Object.fromEntries(members)
}

const toJson = ({ place, value, isAbsent }: RuleCondition): unknown =>
  isAbsent ? null : place === 'body' ? parseJson(value) : value

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
