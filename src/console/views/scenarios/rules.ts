import type { Schema } from '../../api/ask.ts'
import { catalogue, nameOf } from '../../store/server.ts'

export const places = ['model', 'product', 'method', 'path', 'traceId', 'query', 'header', 'body'] as const

export type Place = (typeof places)[number]

export interface RuleCondition {
  readonly place: Place
  /** The name of the header or parameter, or the pointer into the body; empty for the whole body and for others. */
  readonly name: string
  /** The text of the field: for the body JSON, or a text that is none. */
  readonly value: string
  readonly isAbsent: boolean
}

export interface RuleValues {
  /** The texts of the fields by name, those of parameters with `parameter ` before it; absent: empty. */
  readonly texts: Readonly<Record<string, string>>
  readonly conditions: readonly RuleCondition[]
}

/** Returns true for the places that have many members. */
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

export function readRule(rule: Schema<'Rule'>): RuleValues {
  const { operation = '', times = '', probability = '', match = {} } = rule
  const parameters = readScenario(rule.scenario ?? '').parameters.map(([name, value]) => [`parameter ${name}`, value])
  const plain = { operation, text: nameRule(rule), times: String(times), probability: String(probability) }
  return {
    texts: { ...plain, ...Object.fromEntries(parameters) },
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

/** Returns the text that a rule switches on: `slow;ms=200`. */
export const nameRule = ({ scenario, sequence }: Schema<'Rule'>) => scenario ?? sequence ?? ''

/** Returns the header with which a single request asks for the same as a rule: `X-Sim-Sequence: 429*2, 200`. */
export const headerOf = ({ scenario, sequence }: Schema<'Rule'>): string =>
  sequence === undefined ? `X-Sim-Scenario: ${scenario}` : `X-Sim-Sequence: ${sequence}`

/** Returns the conditions of a rule in words, one text each: `createEvent`, `body /eventType is "purchase"`. */
export function listConditions({ operation, match = {}, times, probability }: Schema<'Rule'>): string[] {
  const { query, header, body, ...plain } = match
  return [
    operation ?? 'all operations',
    ...Object.entries(plain).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name} ${nameOf(value) ?? value}`],
    ),
    ...Object.entries({ query, header, body }).flatMap(([place, members]) =>
      Object.entries(members ?? {}).map(([name, value]) => `${place} ${name} is ${describeValue(value)}`),
    ),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined || probability === 1 ? [] : [`with the probability ${probability}`]),
  ]
}

const describeValue = (value: unknown) => (value === null ? 'not sent' : JSON.stringify(value))

/** Returns a scenario's text with those parameters that have a value: `slow;ms=200`. */
function formatScenario(name: string, values: readonly (readonly [string, string])[]): string {
  const sent = values.filter(([, value]) => value !== '')
  return [name, ...sent.map(([parameter, value]) => `${parameter}=${quote(value)}`)].join(';')
}

const quote = (value: string) => (/[,;\s]/.test(value) ? `"${value}"` : value)

/** Splits the text of one scenario: `slow;ms=200`. Of several it makes no sense, which `formatScenario` shows. */
function readScenario(text: string) {
  const [name = '', ...rest] = text.match(/("[^"]*"|[^;"])+/g) ?? []
  const parameters = rest.map((part) => {
    const [, parameter = part, value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? []
    return [parameter, value.replace(/^"(.*)"$/s, '$1')] as const
  })
  return { name, parameters }
}

/** A scenario of the catalogue, or a text of several of them that the user writes. */
export interface Offer extends Pick<Schema<'Entry'>, 'name' | 'family' | 'about' | 'parameters' | 'clientSees'> {
  readonly operations?: readonly string[]
  /** The member of a rule that takes the text, where the user writes the whole text. */
  readonly freeText?: 'scenario' | 'sequence'
  readonly example: string
  readonly status?: string | undefined
}

const freeTexts: readonly [sequence: Offer, combination: Offer] = [
  {
    name: 'sequence',
    family: 'several at once',
    about: 'Requests get its items one after another, for each operation; the last item is repeated.',
    freeText: 'sequence',
    example: '429*2, 200',
    parameters: [],
  },
  {
    name: 'combination',
    family: 'several at once',
    about: 'All of its scenarios act on the same response.',
    freeText: 'scenario',
    example: 'slow;ms=200, 429',
    parameters: [],
  },
]

/** Lists the scenarios to switch on. The probability of a scenario is left out, since a rule has its own. */
export function listOffers(): readonly Offer[] {
  const offers = catalogue.value.scenarios.map((entry): Offer => {
    const [, status] = /^Returns (\d+)/.exec(entry.about) ?? []
    return { ...entry, status, parameters: entry.parameters.filter(({ name }) => name !== 'p') }
  })
  return [...freeTexts, ...offers]
}

export const titleOf = ({ name, status }: Offer) => (status === undefined ? name : `${name} (${status})`)

export const operationsOf = ({ operations }: Offer): readonly string[] =>
  operations ?? catalogue.value.operations.map(({ id }) => id)
